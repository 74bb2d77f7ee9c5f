// SPDX-License-Identifier: Apache-2.0
// The types of the libcurl functions that requests need. The library is loaded at run time, so its headers need not
// be installed.
#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>

// A CURLMsg.
struct ccurl_message {
  int kind;
  void *easy;
  union {
    void *pointer;
    int code;
  } data;
};

// A curl_write_callback: receives a line, or a piece of a body.
typedef size_t (*ccurl_callback)(char *bytes, size_t size, size_t count, void *context);

typedef int (*ccurl_global_init)(long flags);
typedef void *(*ccurl_init)(void);
typedef int (*ccurl_easy_call)(void *easy);
typedef void (*ccurl_easy_cleanup)(void *easy);
typedef const char *(*ccurl_strerror)(int code);
typedef void *(*ccurl_slist_append)(void *list, const char *text);
typedef void (*ccurl_slist_free_all)(void *list);
typedef int (*ccurl_multi_pair)(void *multi, void *easy);
typedef int (*ccurl_multi_perform)(void *multi, int *running);
typedef int (*ccurl_multi_poll)(void *multi, void *more, unsigned int count, int milliseconds, int *ready);
typedef int (*ccurl_multi_call)(void *multi);
typedef struct ccurl_message *(*ccurl_multi_info_read)(void *multi, int *rest);

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call: each argument type needs a function
// here.
typedef int (*ccurl_variadic)(void *easy, int option, ...);

static inline int ccurl_set_long(void *setopt, void *easy, int option, long value) {
  return ((ccurl_variadic)setopt)(easy, option, value);
}

// For options of the type curl_off_t.
static inline int ccurl_set_size(void *setopt, void *easy, int option, long long value) {
  return ((ccurl_variadic)setopt)(easy, option, value);
}

static inline int ccurl_set_pointer(void *setopt, void *easy, int option, const void *value) {
  return ((ccurl_variadic)setopt)(easy, option, value);
}

static inline int ccurl_set_callback(void *setopt, void *easy, int option, ccurl_callback value) {
  return ((ccurl_variadic)setopt)(easy, option, value);
}

static inline int ccurl_get_long(void *getinfo, void *easy, int information, long *value) {
  return ((ccurl_variadic)getinfo)(easy, information, value);
}

static inline int ccurl_get_text(void *getinfo, void *easy, int information, const char **value) {
  return ((ccurl_variadic)getinfo)(easy, information, value);
}

#endif
