// SPDX-License-Identifier: Apache-2.0
// Owners for handles in a few lines, and a callback: prints each change of a target until the standard input ends.
#include <reachability.h>

#include <cstdio>
#include <iostream>
#include <memory>

template <auto Destroy>
struct Destroyer {
  template <class Handle>
  void operator()(Handle *handle) const { Destroy(handle); }
};
using Target = std::unique_ptr<reachability_target, Destroyer<reachability_target_destroy>>;
using Observation = std::unique_ptr<reachability_observation, Destroyer<reachability_observation_end>>;

int main(int count, char **words) {
  const Target target(reachability_target_create(count > 1 ? words[1] : "default", nullptr));
  const auto print = [](const reachability_status *status, const reachability_status *previous, void *) {
    const bool reachable = status->state == REACHABILITY_REACHABLE;
    std::printf("%s %s\n", previous ? "now" : "first", reachable ? status->interface.name : status->reason_text);
    std::fflush(stdout);
  };
  const Observation observation(
      target ? reachability_observe(reachability_monitor_shared(), target.get(), 0, print, nullptr, nullptr) : nullptr);
  if (!observation) {
    std::cerr << "error: " << reachability_last_error_text() << "\n";
    return 2;
  }
  while (std::getchar() != EOF) {
  }
}
