/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks GLib's default network monitor, as programs do, in a network namespace with one cable: eth0 to peer0.
 *
 *     monitor NAME questions   each property and question, in a network that this program changes with 'ip'
 *     monitor NAME threads     the context that signals are emitted on, and monitors that end in their own signal
 *     monitor NAME once        prints whether the network is available, as a program does that asks once
 *     monitor NAME refused     netlink is refused, so another monitor is the default
 *
 * NAME is the type of the monitor that is expected.
 */
#define _GNU_SOURCE
#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>
#include <stdlib.h>

#include "../CLibrary/sandbox.h"

static void expect(gboolean condition, const char *text, int line) {
  if (condition) return;
  g_printerr("error: line %d: not %s\n", line, text);
  exit(1);
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

static void ip(const char *words) {
  char *line = g_strdup_printf("ip %s", words);
  int status = -1;
  EXPECT(g_spawn_command_line_sync(line, NULL, NULL, &status, NULL) && status == 0);
  g_free(line);
}

/* ---- Waiting for a change ---- */

static int changes, notes;
static gboolean last;

static void changed(GNetworkMonitor *monitor, gboolean available, gpointer data) {
  (void)data;
  EXPECT(available == g_network_monitor_get_network_available(monitor));
  last = available;
  changes++;
}

static void noted(GObject *monitor, GParamSpec *property, gpointer data) {
  (void)monitor, (void)property, (void)data;
  notes++;
}

static gboolean give_up(gpointer data) {
  (void)data;
  g_error("no change within 20 seconds");
  return G_SOURCE_REMOVE;
}

/* Runs the loop until a condition holds. */
#define AWAIT(condition)                                          \
  do {                                                            \
    guint limit = g_timeout_add_seconds(20, give_up, NULL);       \
    while (!(condition)) g_main_context_iteration(NULL, TRUE);    \
    g_source_remove(limit);                                       \
  } while (0)

/* ---- Questions ---- */

static gboolean asked;
static gboolean answer;
static GError *problem;

static void answered(GObject *monitor, GAsyncResult *result, gpointer data) {
  (void)data;
  answer = g_network_monitor_can_reach_finish(G_NETWORK_MONITOR(monitor), result, &problem);
  asked = TRUE;
}

/* Asks both forms, which must agree, and returns the code of the error, or -1 if it can be reached. */
static int ask(GNetworkMonitor *monitor, GSocketConnectable *connectable, GCancellable *cancellable) {
  GError *error = NULL;
  gboolean reachable = g_network_monitor_can_reach(monitor, connectable, cancellable, &error);
  int code;
  EXPECT(reachable == (error == NULL));
  asked = FALSE;
  g_clear_error(&problem);
  g_network_monitor_can_reach_async(monitor, connectable, cancellable, answered, NULL);
  EXPECT(!asked);
  AWAIT(asked);
  EXPECT(answer == reachable && (problem == NULL) == (error == NULL));
  if (error != NULL) EXPECT(g_error_matches(problem, error->domain, error->code));
  code = error != NULL ? error->code : -1;
  g_clear_error(&error);
  g_object_unref(connectable);
  return code;
}

static int ask_address(GNetworkMonitor *monitor, const char *text) {
  return ask(monitor, G_SOCKET_CONNECTABLE(g_inet_socket_address_new_from_string(text, 80)), NULL);
}

static GNetworkConnectivity connectivity(GNetworkMonitor *monitor) {
  GNetworkConnectivity value;
  g_object_get(monitor, "connectivity", &value, NULL);
  EXPECT(value == g_network_monitor_get_connectivity(monitor));
  return value;
}

static void questions(GNetworkMonitor *monitor) {
  GInetAddress *inet = g_inet_address_new_from_string("10.9.0.1");
  GSocketAddress *proxy = g_proxy_address_new(inet, 1080, "socks5", "example.invalid", 80, NULL, NULL);
  GSocketAddress *local = g_unix_socket_address_new("/nowhere");
  GCancellable *cancelled = g_cancellable_new();
  g_signal_connect(monitor, "network-changed", G_CALLBACK(changed), NULL);
  g_signal_connect(monitor, "notify::network-available", G_CALLBACK(noted), NULL);
  EXPECT(g_network_monitor_get_network_available(monitor) && connectivity(monitor) == G_NETWORK_CONNECTIVITY_FULL);
  EXPECT(!g_network_monitor_get_network_metered(monitor));
  EXPECT(ask_address(monitor, "10.9.0.1") == -1 && ask_address(monitor, "10.1.0.7") == -1);
  EXPECT(ask_address(monitor, "127.0.0.1") == -1 && ask_address(monitor, "::1") == -1);
  EXPECT(ask_address(monitor, "fd00::1") == G_IO_ERROR_NETWORK_UNREACHABLE);
  EXPECT(ask_address(monitor, "fe80::7%eth0") == -1);
  EXPECT(ask(monitor, g_network_address_new("localhost", 80), NULL) == -1);
  EXPECT(ask(monitor, g_object_ref(G_SOCKET_CONNECTABLE(proxy)), NULL) == -1);
  EXPECT(ask(monitor, g_object_ref(G_SOCKET_CONNECTABLE(local)), NULL) == -1);
  g_cancellable_cancel(cancelled);
  EXPECT(ask(monitor, g_network_address_new("localhost", 80), cancelled) == G_IO_ERROR_CANCELLED);
  /* Nothing has changed so far, and so nothing was emitted. */
  while (g_main_context_iteration(NULL, FALSE)) {
  }
  EXPECT(changes == 0 && notes == 0);

  ip("route add blackhole 10.9.0.1");
  EXPECT(ask_address(monitor, "10.9.0.1") == G_IO_ERROR_HOST_UNREACHABLE);
  ip("route del blackhole 10.9.0.1");
  ip("route del default");
  AWAIT(changes > 0 && !last);
  EXPECT(!g_network_monitor_get_network_available(monitor) && notes == 1);
  EXPECT(connectivity(monitor) == G_NETWORK_CONNECTIVITY_LOCAL);
  EXPECT(ask_address(monitor, "10.9.0.1") == G_IO_ERROR_NETWORK_UNREACHABLE && ask_address(monitor, "10.1.0.7") == -1);
  ip("route add default via 10.1.0.254");
  AWAIT(last);
  EXPECT(notes == 2 && connectivity(monitor) == G_NETWORK_CONNECTIVITY_FULL);
  /* A cable is unplugged: GLib's own monitor on netlink does not notice. */
  ip("link set peer0 down");
  AWAIT(!last);
  EXPECT(ask_address(monitor, "10.9.0.1") == G_IO_ERROR_HOST_UNREACHABLE);
  ip("link set peer0 up");
  AWAIT(last);
  ip("address add 10.3.0.1/24 dev eth0");
  notes = changes = 0;
  AWAIT(changes > 0);
  EXPECT(last && notes == 0);
  ip("address del 10.3.0.1/24 dev eth0");
  g_clear_error(&problem);
  g_object_unref(inet);
  g_object_unref(proxy);
  g_object_unref(local);
  g_object_unref(cancelled);
}

/* ---- Threads ---- */

static GThread *emitter;

static void release(GNetworkMonitor *monitor, gboolean available, gpointer data) {
  GNetworkMonitor **own = data;
  (void)monitor, (void)available;
  emitter = g_thread_self();
  g_clear_object(own);
}

static gpointer observe(gpointer type) {
  GMainContext *context = g_main_context_new();
  GNetworkMonitor *own;
  GError *error = NULL;
  g_main_context_push_thread_default(context);
  own = g_initable_new(GPOINTER_TO_SIZE(type), NULL, &error, NULL);
  EXPECT(own != NULL);
  g_signal_connect(own, "network-changed", G_CALLBACK(release), &own);
  ip("route del default");
  while (own != NULL) g_main_context_iteration(context, TRUE);
  EXPECT(emitter == g_thread_self());
  ip("route add default via 10.1.0.254");
  /* Ended before anything happens. */
  own = g_initable_new(GPOINTER_TO_SIZE(type), NULL, &error, NULL);
  g_object_unref(own);
  while (g_main_context_iteration(context, FALSE)) {
  }
  g_main_context_pop_thread_default(context);
  g_main_context_unref(context);
  return NULL;
}

static void threads(GNetworkMonitor *monitor) {
  g_signal_connect(monitor, "network-changed", G_CALLBACK(changed), NULL);
  for (int round = 0; round < 5; round++)
    g_thread_join(g_thread_new("observer", observe, GSIZE_TO_POINTER(G_OBJECT_TYPE(monitor))));
  /* This one has not observed so far, since its context did not run: what is as before is no change. */
  ip("route del default");
  AWAIT(changes > 0 && !last);
  ip("route add default via 10.1.0.254");
  AWAIT(last);
}

int main(int count, char **words) {
  GNetworkMonitor *monitor;
  if (count != 3) return 2;
  if (g_str_equal(words[2], "refused")) EXPECT(refuse_netlink() == 0);
  monitor = g_network_monitor_get_default();
  if (!g_str_equal(G_OBJECT_TYPE_NAME(monitor), words[1])) {
    g_printerr("error: the monitor is %s\n", G_OBJECT_TYPE_NAME(monitor));
    return 1;
  }
  if (g_str_equal(words[2], "questions")) questions(monitor);
  if (g_str_equal(words[2], "threads")) threads(monitor);
  if (g_str_equal(words[2], "once")) g_print("%s\n", g_network_monitor_get_network_available(monitor) ? "yes" : "no");
  return 0;
}
