// Answers of GLib's GNetworkMonitor, with the backend that GIO_USE_NETWORK_MONITOR names.
//
//   gio-monitor watch             prints "usable" or "unusable", at first and at each signal "network-changed"
//   gio-monitor check [ADDRESS]   exit status 0: usable, 1: unusable, 3: failed
//   gio-monitor version
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

static void print(gboolean available) {
    puts(available ? "usable" : "unusable");
    fflush(stdout);
}

static void changed(GNetworkMonitor *monitor, gboolean available, gpointer data) {
    (void)available, (void)data;
    // The argument of the signal is what the kernel's routes say, even with the backend of NetworkManager.
    print(g_network_monitor_get_network_available(monitor));
}

int main(int count, char **arguments) {
    const char *verb = count > 1 ? arguments[1] : "";
    if (!strcmp(verb, "version")) {
        printf("GLib %u.%u.%u\n", glib_major_version, glib_minor_version, glib_micro_version);
        return 0;
    }
    GNetworkMonitor *monitor = g_network_monitor_get_default();
    // GLib silently takes another backend if the requested one does not work.
    const char *type = G_OBJECT_TYPE_NAME(monitor), *backend = g_getenv("GIO_USE_NETWORK_MONITOR");
    const char *expected = !g_strcmp0(backend, "networkmanager") ? "GNetworkMonitorNM" : "GNetworkMonitorNetlink";
    if (strcmp(type, expected)) {
        fprintf(stderr, "gio-monitor: got %s instead of %s\n", type, expected);
        return 3;
    }
    if (!strcmp(verb, "check") && count == 2) return g_network_monitor_get_network_available(monitor) ? 0 : 1;
    if (!strcmp(verb, "check")) {
        GSocketAddress *address = g_inet_socket_address_new_from_string(arguments[2], 1);
        if (!address) {
            fprintf(stderr, "gio-monitor: not an address: %s\n", arguments[2]);
            return 3;
        }
        return g_network_monitor_can_reach(monitor, G_SOCKET_CONNECTABLE(address), NULL, NULL) ? 0 : 1;
    }
    if (strcmp(verb, "watch")) return 3;
    g_signal_connect(monitor, "network-changed", G_CALLBACK(changed), NULL);
    print(g_network_monitor_get_network_available(monitor));
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
}
