/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GLib's network monitor, answered by libreachability.
 *
 * Programs that call g_network_monitor_get_default() use it without a change, because its priority is above those of
 * GLib's own monitors and of NetworkManager's; in a sandbox, the portal's is above it. GIO_USE_NETWORK_MONITOR=netlink in
 * the environment of a program chooses another one.
 *
 * The monitor belongs to the thread-default main context of the thread that creates it, and emits its signals there, as
 * GLib's own monitors do. It begins to observe when that context runs: a program that only asks once pays for nothing
 * else. It never blocks, except in g_network_monitor_can_reach, which may look a name up.
 */

#include <gio/gio.h>
#include <glib-unix.h>
#include <reachability.h>

/* Above NetworkManager (30), below the portal of sandboxes (40). */
#define PRIORITY 35

#define NETWORK_MANAGER "org.freedesktop.NetworkManager"

typedef struct {
  GObject parent;
  reachability_monitor *monitor;
  /* Null until the context runs. */
  reachability_queue *queue;
  reachability_observation *observation;
  /* First the one that begins to observe, then one that is ready while a change of the path waits. */
  GSource *source;
  reachability_path path;
  /* Whether 'path' follows each change, and need not be read. */
  gboolean is_observing;
  /* What NetworkManager says, which only it can know: that a portal wants a login. */
  GCancellable *cancellable;
  GDBusProxy *manager;
  GNetworkConnectivity connectivity;
} ReachabilityMonitor;

typedef struct {
  GObjectClass parent;
} ReachabilityMonitorClass;

enum { PROP_NETWORK_AVAILABLE = 1, PROP_NETWORK_METERED, PROP_CONNECTIVITY };

static void initable_init(GInitableIface *interface);
static void monitor_init(GNetworkMonitorInterface *interface);

G_DEFINE_DYNAMIC_TYPE_EXTENDED(
    ReachabilityMonitor, reachability_network_monitor, G_TYPE_OBJECT, 0,
    G_IMPLEMENT_INTERFACE_DYNAMIC(G_TYPE_INITABLE, initable_init)
        G_IMPLEMENT_INTERFACE_DYNAMIC(G_TYPE_NETWORK_MONITOR, monitor_init))

#define SELF(object) ((ReachabilityMonitor *)(object))

/* ---- The state ---- */

static gboolean is_available(const ReachabilityMonitor *self) {
  return self->path.state == REACHABILITY_PATH_SATISFIED;
}

/* NetworkManager's words for its property 'Connectivity'. */
enum { NM_UNKNOWN, NM_NONE, NM_PORTAL, NM_LIMITED, NM_FULL };

/* Whether a default route is NetworkManager's own: of those of others it has no opinion. */
static gboolean has_primary_connection(GDBusProxy *manager) {
  GVariant *property = g_dbus_proxy_get_cached_property(manager, "PrimaryConnection");
  gboolean has = FALSE;
  if (property == NULL) return FALSE;
  if (g_variant_is_of_type(property, G_VARIANT_TYPE_OBJECT_PATH))
    has = g_strcmp0(g_variant_get_string(property, NULL), "/") != 0;
  g_variant_unref(property);
  return has;
}

/*
 * Without a path there is no connectivity, whatever NetworkManager says: it speaks only of interfaces that it manages.
 * With a path, its word counts for what it has asked a server: a portal, or a network that leads nowhere.
 */
static GNetworkConnectivity connectivity(ReachabilityMonitor *self) {
  guint32 word = NM_UNKNOWN;
  GVariant *property;
  if (!is_available(self)) return G_NETWORK_CONNECTIVITY_LOCAL;
  if (self->manager != NULL && has_primary_connection(self->manager) &&
      (property = g_dbus_proxy_get_cached_property(self->manager, "Connectivity")) != NULL) {
    if (g_variant_is_of_type(property, G_VARIANT_TYPE_UINT32)) word = g_variant_get_uint32(property);
    g_variant_unref(property);
  }
  if (word == NM_PORTAL) return G_NETWORK_CONNECTIVITY_PORTAL;
  if (word == NM_LIMITED) return G_NETWORK_CONNECTIVITY_LIMITED;
  return G_NETWORK_CONNECTIVITY_FULL;
}

/* Emits what has changed, after the members have: a handler may read them. */
static void update(ReachabilityMonitor *self, const reachability_path *path) {
  gboolean was_available = is_available(self), was_metered = self->path.is_expensive == 1;
  GNetworkConnectivity before = self->connectivity;
  if (path != NULL) self->path = *path;
  self->connectivity = connectivity(self);
  g_object_ref(self);
  g_object_freeze_notify(G_OBJECT(self));
  if (is_available(self) != was_available) g_object_notify(G_OBJECT(self), "network-available");
  if ((self->path.is_expensive == 1) != was_metered) g_object_notify(G_OBJECT(self), "network-metered");
  if (self->connectivity != before) g_object_notify(G_OBJECT(self), "connectivity");
  g_object_thaw_notify(G_OBJECT(self));
  g_signal_emit_by_name(self, "network-changed", is_available(self));
  g_object_unref(self);
}

/* Whether two paths look the same to a program. The texts of reasons are constants. */
static gboolean is_same(const reachability_path *one, const reachability_path *other) {
  return one->state == other->state && one->reason == other->reason && one->is_expensive == other->is_expensive &&
         one->supports_ipv4 == other->supports_ipv4 && one->supports_ipv6 == other->supports_ipv6 &&
         one->supports_dns == other->supports_dns && one->interface_count == other->interface_count &&
         one->interface.index == other->interface.index && g_strcmp0(one->gateway, other->gateway) == 0;
}

static gboolean take(gint descriptor, GIOCondition condition, gpointer data) {
  ReachabilityMonitor *self = data;
  reachability_path path = {.size = sizeof path};
  (void)descriptor, (void)condition;
  /* One at a time: a handler may release the last reference, which ends this source. */
  if (reachability_queue_next(self->queue, NULL) != NULL &&
      reachability_take_path(self->observation, &path) == REACHABILITY_OK) {
    /* The first one is no change, unless the network has changed since the program asked. */
    gboolean is_change = self->is_observing || !is_same(&path, &self->path);
    self->is_observing = TRUE;
    if (is_change) update(self, &path);
  }
  return G_SOURCE_CONTINUE;
}

/* ---- NetworkManager ---- */

/* Follows what NetworkManager says, after it has begun, ended, or changed a property. */
static void follow_manager(ReachabilityMonitor *self) {
  if (connectivity(self) != self->connectivity) update(self, NULL);
}

static void manager_found(GObject *source, GAsyncResult *result, gpointer data) {
  GError *error = NULL;
  GDBusProxy *proxy = g_dbus_proxy_new_for_bus_finish(result, &error);
  ReachabilityMonitor *self = data;
  (void)source;
  /* The object may be gone if this was cancelled. Without a bus there is no opinion. */
  if (proxy == NULL) {
    g_error_free(error);
    return;
  }
  self->manager = proxy;
  g_signal_connect_swapped(proxy, "g-properties-changed", G_CALLBACK(follow_manager), self);
  g_signal_connect_swapped(proxy, "notify::g-name-owner", G_CALLBACK(follow_manager), self);
  follow_manager(self);
}

/* ---- Creation and end ---- */

/* Reads the path, unless it follows each change. */
static gboolean read_path(ReachabilityMonitor *self) {
  if (self->is_observing) return TRUE;
  self->path.size = sizeof self->path;
  if (reachability_current_path(self->monitor, &self->path) != REACHABILITY_OK) return FALSE;
  self->connectivity = connectivity(self);
  return self->path.state != REACHABILITY_PATH_UNKNOWN;
}

/* Begins to observe, in the context's first turn. */
static gboolean begin(gpointer data) {
  ReachabilityMonitor *self = data;
  GMainContext *context = g_source_get_context(self->source);
  if ((self->queue = reachability_queue_create()) == NULL ||
      (self->observation = reachability_queue_observe_path(self->queue, self->monitor, NULL)) == NULL) {
    /* The properties are right nevertheless: they are read each time. */
    g_debug("no signals of the network monitor: %s", reachability_last_error_text());
    return G_SOURCE_REMOVE;
  }
  g_source_unref(self->source);
  self->source = g_unix_fd_source_new(reachability_queue_descriptor(self->queue), G_IO_IN);
  g_source_set_callback(self->source, G_SOURCE_FUNC(take), self, NULL);
  g_source_set_name(self->source, "reachability");
  g_source_attach(self->source, context);
  /* The bus is asked in the background, and nothing is started. */
  self->cancellable = g_cancellable_new();
  g_dbus_proxy_new_for_bus(
      G_BUS_TYPE_SYSTEM, G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START | G_DBUS_PROXY_FLAGS_GET_INVALIDATED_PROPERTIES, NULL,
      NETWORK_MANAGER, "/org/freedesktop/NetworkManager", NETWORK_MANAGER, self->cancellable, manager_found, self);
  return G_SOURCE_REMOVE;
}

/* Where netlink is refused, GLib takes its next monitor. */
static gboolean initialize(GInitable *initable, GCancellable *cancellable, GError **error) {
  ReachabilityMonitor *self = SELF(initable);
  if (g_cancellable_set_error_if_cancelled(cancellable, error)) return FALSE;
  if ((self->monitor = reachability_monitor_create(NULL)) == NULL || !read_path(self)) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "netlink cannot be used: %s", reachability_last_error_text());
    return FALSE;
  }
  self->source = g_idle_source_new();
  g_source_set_priority(self->source, G_PRIORITY_HIGH);
  g_source_set_callback(self->source, begin, self, NULL);
  g_source_attach(self->source, g_main_context_get_thread_default());
  return TRUE;
}

static void finalize(GObject *object) {
  ReachabilityMonitor *self = SELF(object);
  g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  if (self->manager != NULL) g_signal_handlers_disconnect_by_data(self->manager, self);
  g_clear_object(&self->manager);
  if (self->source != NULL) g_source_destroy(self->source);
  g_clear_pointer(&self->source, g_source_unref);
  if (self->queue != NULL) reachability_queue_destroy(self->queue);
  if (self->monitor != NULL) reachability_monitor_destroy(self->monitor);
  G_OBJECT_CLASS(reachability_network_monitor_parent_class)->finalize(object);
}

static void get_property(GObject *object, guint number, GValue *value, GParamSpec *property) {
  ReachabilityMonitor *self = SELF(object);
  read_path(self);
  switch (number) {
    case PROP_NETWORK_AVAILABLE: g_value_set_boolean(value, is_available(self)); break;
    case PROP_NETWORK_METERED: g_value_set_boolean(value, self->path.is_expensive == 1); break;
    case PROP_CONNECTIVITY: g_value_set_enum(value, self->connectivity); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, number, property);
  }
}

/* ---- Can something be reached? ---- */

/* Whether packets can leave for an address, or why not. */
static gboolean is_reachable(ReachabilityMonitor *self, GSocketAddress *address, GError **error) {
  GInetAddress *inet;
  reachability_target *target;
  reachability_status status = {.size = sizeof status};
  char *text;
  /* A socket of this machine. */
  if (!G_IS_INET_SOCKET_ADDRESS(address)) return TRUE;
  inet = g_inet_socket_address_get_address(G_INET_SOCKET_ADDRESS(address));
  text = g_inet_address_to_string(inet);
  if (g_inet_address_get_family(inet) == G_SOCKET_FAMILY_IPV6 && g_inet_address_get_is_link_local(inet)) {
    guint32 scope = g_inet_socket_address_get_scope_id(G_INET_SOCKET_ADDRESS(address));
    char *host = text;
    text = scope != 0 ? g_strdup_printf("%s%%%u", host, scope) : g_strdup(host);
    g_free(host);
  }
  target = reachability_target_create(text, NULL);
  g_free(text);
  if (target == NULL || reachability_current_status(self->monitor, target, &status) != REACHABILITY_OK) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, reachability_last_error_text());
  } else if (status.state != REACHABILITY_REACHABLE) {
    gboolean has_route = status.reason != NULL && g_strcmp0(status.reason, "noRoute") != 0;
    g_set_error(
        error, G_IO_ERROR, has_route ? G_IO_ERROR_HOST_UNREACHABLE : G_IO_ERROR_NETWORK_UNREACHABLE, "%s",
        status.reason_text != NULL ? status.reason_text : "unknown");
  }
  if (target != NULL) reachability_target_destroy(target);
  return status.state == REACHABILITY_REACHABLE;
}

/* Judges one address of several; the first reason is kept for the case that none can be reached. */
static gboolean judge(ReachabilityMonitor *self, GSocketAddress *address, GError **first) {
  gboolean reachable = is_reachable(self, address, *first == NULL ? first : NULL);
  g_object_unref(address);
  if (reachable) g_clear_error(first);
  return reachable;
}

/* The error after the last address: the first reason, or that of the lookup, or that there was no address. */
static GError *conclusion(GError *first, GError *lookup) {
  if (first != NULL) {
    g_clear_error(&lookup);
    return first;
  }
  return lookup != NULL ? lookup
                        : g_error_new_literal(G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE, "there is no address");
}

static gboolean can_reach(
    GNetworkMonitor *monitor, GSocketConnectable *connectable, GCancellable *cancellable, GError **error) {
  GSocketAddressEnumerator *enumerator = g_socket_connectable_proxy_enumerate(connectable);
  GError *first = NULL, *lookup = NULL;
  GSocketAddress *address;
  gboolean reachable = FALSE;
  while (!reachable && (address = g_socket_address_enumerator_next(enumerator, cancellable, &lookup)) != NULL)
    reachable = judge(SELF(monitor), address, &first);
  g_object_unref(enumerator);
  if (!reachable) g_propagate_error(error, conclusion(first, lookup));
  return reachable;
}

static void next_found(GObject *source, GAsyncResult *result, gpointer data) {
  GSocketAddressEnumerator *enumerator = G_SOCKET_ADDRESS_ENUMERATOR(source);
  GTask *task = data;
  ReachabilityMonitor *self = g_task_get_source_object(task);
  GError *lookup = NULL, *known = g_task_get_task_data(task), *first = known != NULL ? g_error_copy(known) : NULL;
  GSocketAddress *address = g_socket_address_enumerator_next_finish(enumerator, result, &lookup);
  if (address == NULL) {
    g_task_return_error(task, conclusion(first, lookup));
  } else if (judge(self, address, &first)) {
    g_task_return_boolean(task, TRUE);
  } else {
    g_task_set_task_data(task, first, (GDestroyNotify)g_error_free);
    g_socket_address_enumerator_next_async(enumerator, g_task_get_cancellable(task), next_found, task);
    return;
  }
  g_object_unref(task);
}

static void can_reach_async(
    GNetworkMonitor *monitor, GSocketConnectable *connectable, GCancellable *cancellable, GAsyncReadyCallback callback,
    gpointer data) {
  GTask *task = g_task_new(monitor, cancellable, callback, data);
  GSocketAddressEnumerator *enumerator = g_socket_connectable_proxy_enumerate(connectable);
  g_task_set_source_tag(task, can_reach_async);
  g_socket_address_enumerator_next_async(enumerator, cancellable, next_found, task);
  g_object_unref(enumerator);
}

static gboolean can_reach_finish(GNetworkMonitor *monitor, GAsyncResult *result, GError **error) {
  g_return_val_if_fail(g_task_is_valid(result, monitor), FALSE);
  return g_task_propagate_boolean(G_TASK(result), error);
}

/* ---- The module ---- */

static void initable_init(GInitableIface *interface) { interface->init = initialize; }

static void monitor_init(GNetworkMonitorInterface *interface) {
  interface->can_reach = can_reach;
  interface->can_reach_async = can_reach_async;
  interface->can_reach_finish = can_reach_finish;
}

static void reachability_network_monitor_init(ReachabilityMonitor *self) {
  self->connectivity = G_NETWORK_CONNECTIVITY_LOCAL;
}

static void reachability_network_monitor_class_init(ReachabilityMonitorClass *class) {
  GObjectClass *object = G_OBJECT_CLASS(class);
  object->get_property = get_property;
  object->finalize = finalize;
  g_object_class_override_property(object, PROP_NETWORK_AVAILABLE, "network-available");
  g_object_class_override_property(object, PROP_NETWORK_METERED, "network-metered");
  g_object_class_override_property(object, PROP_CONNECTIVITY, "connectivity");
}

static void reachability_network_monitor_class_finalize(ReachabilityMonitorClass *class) { (void)class; }

G_MODULE_EXPORT void g_io_module_load(GIOModule *module) {
  /* A type that a process has used is never unloaded. */
  g_type_module_use(G_TYPE_MODULE(module));
  reachability_network_monitor_register_type(G_TYPE_MODULE(module));
  g_io_extension_point_implement(
      G_NETWORK_MONITOR_EXTENSION_POINT_NAME, reachability_network_monitor_get_type(), "reachability", PRIORITY);
}

G_MODULE_EXPORT void g_io_module_unload(GIOModule *module) { (void)module; }

G_MODULE_EXPORT char **g_io_module_query(void) {
  char *points[] = {(char *)G_NETWORK_MONITOR_EXTENSION_POINT_NAME, NULL};
  return g_strdupv(points);
}
