/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the status of each target, and each change, from an event loop of its own: poll(2). */
#include <poll.h>
#include <reachability.h>
#include <stdio.h>

static const char *const states[] = {"unknown", "not reachable", "reachable"};

int main(int count, char **words) {
  reachability_monitor *monitor = reachability_monitor_shared();
  reachability_queue *queue = reachability_queue_create();
  if (queue == NULL) return fprintf(stderr, "error: %s\n", reachability_last_error_text()), 2;
  for (int position = 1; position < count; position++) {
    reachability_target *target = reachability_target_create(words[position], NULL);
    if (target == NULL || reachability_queue_observe(queue, monitor, target, 0, words[position]) == NULL)
      return fprintf(stderr, "error: %s\n", reachability_last_error_text()), 2;
    reachability_target_destroy(target);
  }
  struct pollfd descriptors[] = {
      {.fd = reachability_queue_descriptor(queue), .events = POLLIN},
      /* The end of the standard input ends the program. */
      {.fd = 0, .events = POLLIN},
  };
  while (poll(descriptors, 2, -1) > 0 && descriptors[1].revents == 0) {
    reachability_observation *observation;
    void *name;
    while ((observation = reachability_queue_next(queue, &name)) != NULL) {
      reachability_status status = {.size = sizeof status};
      if (reachability_take_status(observation, &status, NULL) != REACHABILITY_OK) continue;
      printf("%s: %s", (const char *)name, states[status.state]);
      if (status.reason != NULL) printf(", %s", status.reason_text);
      if (status.interface.index != 0) printf(", %s", status.interface.name);
      printf("\n");
    }
    fflush(stdout);
  }
  reachability_queue_destroy(queue);
  return 0;
}
