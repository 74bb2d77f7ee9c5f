// SPDX-License-Identifier: Apache-2.0
// Answers of Qt's QNetworkInformation, with one of its plugins.
//
//   qt-monitor PLUGIN watch     prints "usable" or "unusable", at first and at each signal reachabilityChanged
//   qt-monitor PLUGIN check     exit status 0: usable, 1: unusable, 3: failed
//   qt-monitor PLUGIN version
#include <QCoreApplication>
#include <QNetworkInformation>
#include <QTimer>
#include <cstdio>
#include <cstring>

int main(int count, char **arguments) {
    QCoreApplication application(count, arguments);
    if (count != 3) return 3;
    const char *plugin = arguments[1], *verb = arguments[2];
    if (!strcmp(verb, "version")) {
        printf("Qt %s, plugin %s\n", qVersion(), plugin);
        return 0;
    }
    if (!QNetworkInformation::loadBackendByName(QString::fromLatin1(plugin))) {
        fprintf(stderr, "qt-monitor: no plugin %s among: %s\n", plugin,
                qPrintable(QNetworkInformation::availableBackends().join(QStringLiteral(", "))));
        return 3;
    }
    QNetworkInformation *information = QNetworkInformation::instance();
    const auto usable = [=] { return information->reachability() == QNetworkInformation::Reachability::Online; };
    const auto print = [=] {
        puts(usable() ? "usable" : "unusable");
        fflush(stdout);
    };
    // The plugins may hear of the state only in the event loop.
    const bool check = !strcmp(verb, "check");
    if (!check && strcmp(verb, "watch")) return 3;
    QTimer::singleShot(0, [=] {
        if (check) QCoreApplication::exit(usable() ? 0 : 1);
        else {
            print();
            QObject::connect(information, &QNetworkInformation::reachabilityChanged, print);
        }
    });
    return application.exec();
}
