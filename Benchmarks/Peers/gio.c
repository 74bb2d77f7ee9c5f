// GLib's GNetworkMonitor on the same network. Not part of the package: Benchmarks/run compiles it if it can.
//
//   gio start ADDRESS   prints whether the address is reachable, and ends
//   gio memory          prints by how many KiB it grew until the first answer, and ends
//   gio follow          prints the time in nanoseconds of CLOCK_MONOTONIC at each reported change
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void changed(GNetworkMonitor *monitor, gboolean available, gpointer data) {
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
    if (count < 2) return 2;
    g_setenv("GIO_USE_NETWORK_MONITOR", "netlink", TRUE);
    if (!strcmp(arguments[1], "start") && count == 3) {
        GNetworkMonitor *monitor = g_network_monitor_get_default();
        GSocketConnectable *address = G_SOCKET_CONNECTABLE(g_inet_socket_address_new_from_string(arguments[2], 1));
        return g_network_monitor_can_reach(monitor, address, NULL, NULL) ? 0 : 1;
    }
    if (!strcmp(arguments[1], "memory")) {
        long before = resident();
        g_network_monitor_get_network_available(g_network_monitor_get_default());
        printf("%ld\n", resident() - before);
        return 0;
    }
    if (strcmp(arguments[1], "follow")) return 2;
    g_signal_connect(g_network_monitor_get_default(), "network-changed", G_CALLBACK(changed), NULL);
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    puts("0");
    fflush(stdout);
    g_main_loop_run(loop);
}
