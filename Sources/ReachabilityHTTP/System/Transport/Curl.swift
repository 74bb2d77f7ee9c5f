#if canImport(Glibc)
import CCurl
import Glibc

/// The functions of libcurl.
///
/// Foundation's requests need libcurl, so it is installed and loaded wherever this code runs. The functions are found
/// at run time: the library is present on every such machine, the files for linking it are not always.
// Safe to share: these are addresses of functions in a library that is never unloaded.
@safe struct Curl: @unchecked Sendable {
  /// The functions, or `nil` without libcurl 7.68 or later.
  static let loaded: Curl? = Curl()

  let setopt: UnsafeMutableRawPointer
  let getinfo: UnsafeMutableRawPointer
  let easyInit: ccurl_init
  let easyCleanup: ccurl_easy_cleanup
  let errorText: ccurl_strerror
  let append: ccurl_slist_append
  let freeAll: ccurl_slist_free_all
  let performEasy: ccurl_easy_call
  let multiInit: ccurl_init
  let multiAdd: ccurl_multi_pair
  let multiRemove: ccurl_multi_pair
  let perform: ccurl_multi_perform
  let poll: ccurl_multi_poll
  let wakeUp: ccurl_multi_call
  let multiCleanup: ccurl_multi_call
  let nextMessage: ccurl_multi_info_read

  private init?() {
    guard let library = unsafe dlopen("libcurl.so.4", RTLD_LAZY) else { return nil }
    func find<Function>(_ name: String, _ type: Function.Type = Function.self) -> Function? {
      unsafe dlsym(library, name).map { unsafe unsafeBitCast($0, to: type) }
    }
    guard let setopt = unsafe dlsym(library, "curl_easy_setopt"),
      let getinfo = unsafe dlsym(library, "curl_easy_getinfo"),
      let globalInit: ccurl_global_init = find("curl_global_init"),
      let easyInit: ccurl_init = unsafe find("curl_easy_init"),
      let easyCleanup: ccurl_easy_cleanup = unsafe find("curl_easy_cleanup"),
      let errorText: ccurl_strerror = unsafe find("curl_easy_strerror"),
      let append: ccurl_slist_append = unsafe find("curl_slist_append"),
      let freeAll: ccurl_slist_free_all = unsafe find("curl_slist_free_all"),
      let performEasy: ccurl_easy_call = unsafe find("curl_easy_perform"),
      let multiInit: ccurl_init = unsafe find("curl_multi_init"),
      let multiAdd: ccurl_multi_pair = unsafe find("curl_multi_add_handle"),
      let multiRemove: ccurl_multi_pair = unsafe find("curl_multi_remove_handle"),
      let perform: ccurl_multi_perform = unsafe find("curl_multi_perform"),
      let poll: ccurl_multi_poll = unsafe find("curl_multi_poll"),
      let wakeUp: ccurl_multi_call = unsafe find("curl_multi_wakeup"),
      let multiCleanup: ccurl_multi_call = unsafe find("curl_multi_cleanup"),
      let nextMessage: ccurl_multi_info_read = unsafe find("curl_multi_info_read"),
      // Foundation makes the same call; the second of the two changes nothing.
      globalInit(CurlValue.initializesAll) == 0
    else { return nil }
    unsafe self.setopt = unsafe setopt
    unsafe self.getinfo = unsafe getinfo
    unsafe self.easyInit = easyInit
    unsafe self.easyCleanup = easyCleanup
    unsafe self.errorText = errorText
    unsafe self.append = append
    unsafe self.freeAll = freeAll
    unsafe self.performEasy = performEasy
    unsafe self.multiInit = multiInit
    unsafe self.multiAdd = multiAdd
    unsafe self.multiRemove = multiRemove
    unsafe self.perform = perform
    unsafe self.poll = poll
    unsafe self.wakeUp = wakeUp
    unsafe self.multiCleanup = multiCleanup
    unsafe self.nextMessage = nextMessage
  }
}
#endif
