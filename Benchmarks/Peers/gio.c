// SPDX-License-Identifier: Apache-2.0
// GLib's GNetworkMonitor on the same network, with the backend that GIO_USE_NETWORK_MONITOR names; netlink by default. Not
// part of the package: Benchmarks/run and Benchmarks/Peers/build compile it if they can.
//
//   gio check [ADDRESS]   exit status 0: usable, 1: unusable, 3: failed
//   gio watch             prints "usable" or "unusable", at first and at each signal "network-changed"
//   gio follow            prints the time in nanoseconds of CLOCK_MONOTONIC at each of them, and first 0
//   gio memory            prints by how many KiB it grew until the first answer, and ends
//   gio version
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void print(GNetworkMonitor *monitor) {
    puts(g_network_monitor_get_network_available(monitor) ? "usable" : "unusable");
    fflush(stdout);
}

// The argument of the signal is what the kernel's routes say, even with the backend of NetworkManager.
static void changed(GNetworkMonitor *monitor, gboolean available, gpointer data) {
    (void)available, (void)data;
    print(monitor);
}

static void changed_at(GNetworkMonitor *monitor, gboolean available, gpointer data) {
    (void)monitor, (void)available, (void)data;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    printf("%lld\n", (long long)t.tv_sec * 1000000000 + t.tv_nsec);
    fflush(stdout);
}

static long resident(void) {
    char line[256];
    long size = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "Rss: %ld", &size);
    if (file) fclose(file);
    return size;
}

int main(int count, char **arguments) {
    const char *verb = count > 1 ? arguments[1] : "";
    g_setenv("GIO_USE_NETWORK_MONITOR", "netlink", FALSE);
    if (!strcmp(verb, "version")) {
        printf("GLib %u.%u.%u\n", glib_major_version, glib_minor_version, glib_micro_version);
        return 0;
    }
    long before = strcmp(verb, "memory") ? 0 : resident();
    GNetworkMonitor *monitor = g_network_monitor_get_default();
    // GLib silently takes another backend if the requested one does not work.
    const char *type = G_OBJECT_TYPE_NAME(monitor), *backend = g_getenv("GIO_USE_NETWORK_MONITOR");
    const char *expected = !g_strcmp0(backend, "networkmanager") ? "GNetworkMonitorNM"
        : !g_strcmp0(backend, "reachability") ? "ReachabilityMonitor"
                                              : "GNetworkMonitorNetlink";
    if (strcmp(type, expected)) {
        fprintf(stderr, "gio: got %s instead of %s\n", type, expected);
        return 3;
    }
    if (!strcmp(verb, "memory")) {
        g_network_monitor_get_network_available(monitor);
        printf("%ld\n", resident() - before);
        return 0;
    }
    if (!strcmp(verb, "check") && count == 2) return g_network_monitor_get_network_available(monitor) ? 0 : 1;
    if (!strcmp(verb, "check")) {
        GSocketAddress *address = g_inet_socket_address_new_from_string(arguments[2], 1);
        if (!address) {
            fprintf(stderr, "gio: not an address: %s\n", arguments[2]);
            return 3;
        }
        return g_network_monitor_can_reach(monitor, G_SOCKET_CONNECTABLE(address), NULL, NULL) ? 0 : 1;
    }
    int follows = !strcmp(verb, "follow");
    if (!follows && strcmp(verb, "watch")) return 3;
    g_signal_connect(monitor, "network-changed", follows ? G_CALLBACK(changed_at) : G_CALLBACK(changed), NULL);
    if (follows) {
        puts("0");
        fflush(stdout);
    } else {
        print(monitor);
    }
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
}
