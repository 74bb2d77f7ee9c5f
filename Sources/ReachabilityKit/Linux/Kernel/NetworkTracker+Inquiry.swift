// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// The driver of all statuses, paths and explanations: query the kernel, evaluate, query more until the value is known.
///
/// Its retry rule: an answer that names a link which the tables lack shows that the kernel is ahead of its messages.
/// The tables are then read again, once, and the open inquiries begin anew. A link that even the new tables lack
/// does not exist. A link that could not be read leaves its inquiry unknown, as does a kernel that does not answer.
extension NetworkTracker {
  /// How many rounds of queries an inquiry may take; the default route takes the most.
  private static var roundLimit: Int { 24 }

  /// How lookups reach the kernel.
  enum Channel {
    /// One at a time, on the socket that receives announcements: the tables are never older than an answer.
    case announcements
    /// Each round in one batch, on the other socket: the tables change only when they are read again.
    case batches
  }

  /// Evaluates a status on the socket of the announcements.
  ///
  /// - Parameter isWatched: Whether the status is observed, so that its lifetime matters.
  /// - Throws: Why the status is unknown.
  mutating func evaluation(
    of target: ReachabilityTarget, isWatched: Bool = false
  ) throws(NetlinkError) -> Evaluation {
    tables.evaluator.isWatching = isWatched
    // Mostly, changes in a row concern one target.
    if isWatched, let lastSole, lastSole.target == target {
      try query { user, encoder in lastSole.request.encode(for: user, into: &encoder) }
      return try soleEvaluation(of: target, lastSole.request.question)
    }
    if let question = StatusInquiry.soleQuestion(about: target, isWatched: isWatched) {
      if isWatched { lastSole = SoleRequest(target: target, request: EncodedRequest(question)) }
      try query(question)
      return try soleEvaluation(of: target, question)
    }
    let subject = LookupCache.Subject(target, isWatched: isWatched)
    if let evaluation = try readCached(subject) { return evaluation }
    return try newEvaluation(of: target, sole: nil, subject: subject)
  }

  /// Evaluates the answer to the sole question about a target, which stays unread if it is remembered.
  private mutating func soleEvaluation(
    of target: ReachabilityTarget, _ question: RouteRequest
  ) throws(NetlinkError) -> Evaluation {
    // The announcements before the answer are applied, and may have cleared the cache.
    let known =
      try tables.isStale
      ? nil : subscription.withAnswer { tables.cache.evaluation(of: $0, in: $1, to: question) }
    guard let known else { return try newEvaluation(of: target, sole: question, subject: nil) }
    review(known.lookup)
    return known.evaluation
  }

  /// Asks the questions about a subject as long as their answers are remembered, which then stay unread.
  ///
  /// The first answer says which of the remembered evaluations it may be, whose other questions are asked together.
  private mutating func readCached(_ subject: LookupCache.Subject) throws(NetlinkError) -> Evaluation? {
    guard var place = tables.cache.entry(of: subject, where: { _ in true }) else { return nil }
    var step = 0
    while true {
      var known = tables.cache.entries[place].lookups[step]
      try query { user, encoder in known.request.encode(for: user, into: &encoder) }
      // A change of the tables clears the cache.
      guard !tables.isStale, place < tables.cache.entries.count else { return nil }
      if !subscription.isAnswered(by: known.known) {
        let next = tables.cache.entry(of: subject, like: place, at: step) {
          subscription.isAnswered(by: $0.known)
        }
        guard let next else { return nil }
        place = next
        known = tables.cache.entries[next].lookups[step]
      }
      review(known)
      step += 1
      step += try queryTogether(tables.cache.entries[place].lookups[step...])
      guard !tables.isStale, place < tables.cache.entries.count else { return nil }
      if step == tables.cache.entries[place].lookups.count { return tables.cache.entries[place].evaluation }
    }
  }

  /// Sends the queries of remembered lookups together; returns how many of them in a row have the same answers again.
  private mutating func queryTogether(
    _ lookups: ArraySlice<LookupCache.Lookup>
  ) throws(NetlinkError) -> Int {
    let lookups = lookups.prefix(Conversation.batchLimit)
    if lookups.isEmpty { return 0 }
    let user = user
    var differing: UInt64 = 0
    try subscription.ask(lookups.count, informing: &tables) { position, encoder in
      lookups[lookups.startIndex + position].request.encode(for: user, into: &encoder)
    } answered: { position, bytes, message in
      if !lookups[lookups.startIndex + position].isAnswered(by: message, in: bytes) {
        differing |= 1 << UInt64(position)
      }
    }
    mayHaveMore = false
    settle()
    let same = min(differing.trailingZeroBitCount, lookups.count)
    for known in lookups.prefix(same) { review(known) }
    return same
  }

  // Apart, since most answers are remembered.
  @inline(never)
  private mutating func newEvaluation(
    of target: ReachabilityTarget, sole: RouteRequest?, subject: LookupCache.Subject?
  ) throws(NetlinkError) -> Evaluation {
    var inquiry = StatusInquiry(target)
    if let sole {
      inquiry.awaitsSole = true
      let answer = try readAnswer(to: sole)
      // If the tables were read after the answer, no answer is left to remember.
      inquiry.receive(answer, to: sole, by: tables.evaluator, &tables.cache) { subscription.knownAnswer }
      if let evaluation = inquiry.evaluation { return evaluation }
    } else if subject != nil {
      tables.cache.beginRecording()
    }
    defer { if sole == nil, let subject { tables.cache.endRecording(of: subject, inquiry.evaluation) } }
    try resolve(&inquiry)
    return inquiry.evaluation ?? tables.evaluator.unknown
  }

  /// Ends an inquiry on the socket of the announcements; if it throws, the value remains unknown.
  mutating func resolve(_ inquiry: inout StatusInquiry) throws(NetlinkError) {
    var inquiries = [inquiry]
    defer { inquiry = inquiries[0] }
    try resolve(&inquiries, over: .announcements)
  }

  /// Ends inquiries, each round in one batch; if it throws, those that are still open remain unknown.
  mutating func resolve<I: KernelInquiry>(
    _ inquiries: inout [I], isWatched: Bool = true
  ) throws(NetlinkError) {
    tables.evaluator.isWatching = isWatched
    try resolve(&inquiries, over: .batches)
  }

  private mutating func resolve<I: KernelInquiry>(
    _ inquiries: inout [I], over channel: Channel
  ) throws(NetlinkError) {
    let blocked = try advance(&inquiries, Array(inquiries.indices), over: channel)
    guard !blocked.isEmpty else { return }
    refresh()
    if let failure = tables.failure { throw failure }
    for position in blocked { inquiries[position].answers = I.Answers() }
    let lost = try advance(&inquiries, blocked, over: channel)
    for position in lost { inquiries[position].concludeWithoutLink(by: tables.evaluator) }
  }

  /// Advances inquiries as far as the tables allow; returns the positions of those that a missing link blocks.
  private mutating func advance<I: KernelInquiry>(
    _ inquiries: inout [I], _ positions: [Int], over channel: Channel
  ) throws(NetlinkError) -> [Int] {
    var open = positions
    var blocked: [Int] = []
    for _ in 0..<Self.roundLimit where !open.isEmpty {
      var next: [Int] = []
      var batch: [(position: Int, question: RouteRequest)] = []
      // Many targets over one tunnel have the same query for its packets.
      var others: [RouteRequest: [Int]] = [:]
      for position in open {
        switch inquiries[position].advance(by: tables.evaluator) {
        case nil: break
        case .link(let index): if !tables.isUnreadable(link: index) { blocked.append(position) }
        case .answer(let question) where channel == .batches:
          next.append(position)
          batch.append((position, question))
        case .answer(let question):
          next.append(position)
          inquiries[position].answers[question] = try lookUp(question)
        case .answers(let questions):
          next.append(position)
          for question in questions {
            // These take a socket instead of a lookup, and are rare.
            if channel == .batches, !question.takesSocket {
              if question.sender == .tunnel, others[question]?.append(position) != nil { continue }
              if question.sender == .tunnel { others[question] = [] }
              batch.append((position, question))
            } else {
              inquiries[position].answers[question] = try lookUp(question)
            }
          }
        }
      }
      open = next
      if batch.isEmpty { continue }
      // Apart meanwhile, since the client is in use; no table changes during a batch.
      let (user, unfinished, evaluator) = (user, tables.unfinished, tables.evaluator)
      var isSuspect = false
      var nextHops = tables.nextHops.take()
      var cache = LookupCache()
      swap(&cache, &tables.cache)
      defer {
        if isSuspect { hasSuspectAnswer = true }
        tables.nextHops = nextHops
        swap(&cache, &tables.cache)
      }
      try client.lookUp(batch.count) {
        batch[$0].question.completed(for: user)
      } answer: { index, bytes, message throws(DecodingError) in
        let (position, question) = batch[index]
        let answer = try inquiries[position].receive(message, of: bytes, to: question, by: evaluator, &cache)
        if unfinished.mayContain(answer) { isSuspect = true }
        nextHops?.record(answer, to: question)
        guard question.sender == .tunnel else { return }
        for other in others[question] ?? [] { inquiries[other].answers[question] = answer }
      }
    }
    return blocked
  }

  /// Repeats a reading, at most three times, until the tables are equal before and after it, and belong to the answers.
  mutating func readConsistently<Value>(
    _ read: (inout Self) throws(NetlinkError) -> Value
  ) throws(NetlinkError) -> Value {
    update()
    var attempts = 0
    while true {
      if let failure = tables.failure { throw failure }
      let tables = networkState
      let value = try read(&self)
      update()
      attempts += 1
      if networkState == tables || attempts == Self.readLimit { return value }
    }
  }

  // MARK: Lookups

  /// Looks one packet up; the tables then hold all that was announced before the answer.
  mutating func lookUp(_ question: RouteRequest) throws(NetlinkError) -> RouteAnswer {
    if question.takesSocket {
      let answer = question.form == .policy ? policyAnswer(to: question) : chosenSource(for: question)
      // A socket's choice has no bytes to recognize.
      tables.cache.record(question, answer) { nil }
      return answer
    }
    try query(question)
    return try readAnswer(to: question)
  }

  /// Sends one query, and applies what was announced before the answer, which stays unread.
  mutating func query(_ question: RouteRequest) throws(NetlinkError) {
    try query { user, encoder in question.completed(for: user).encode(into: &encoder) }
  }

  /// Sends the query that a closure encodes for packets of a user; `nil` stands for the process's real user.
  private mutating func query(
    _ request: (UInt32?, inout MessageEncoder) -> Void
  ) throws(NetlinkError) {
    let user = user
    let hasUser = tables.mayMatchUsers
    try subscription.ask({ request(user, &$0) }, informing: &tables)
    mayHaveMore = false
    settle()
    // A rule for users was announced before the answer.
    if tables.mayMatchUsers, !hasUser { try query(request) }
  }

  /// Reads the answer to the last query, and the tables if they are stale.
  mutating func readAnswer(to question: RouteRequest) throws(NetlinkError) -> RouteAnswer {
    let answer = RouteAnswer(try subscription.readAnswer())
    suspect(answer)
    tables.nextHops?.record(answer, to: question)
    tables.cache.record(question, answer) { subscription.knownAnswer }
    if tables.isStale { update() }
    if let failure = tables.failure { throw failure }
    return answer
  }

  /// Looks packets up in batches for other ends than a status or a path.
  mutating func lookUp(_ questions: [RouteRequest], each: (Int, RouteAnswer) -> Void) {
    let user = user
    try? client.lookUp(questions.count) {
      questions[$0].completed(for: user)
    } answer: { index, bytes, message throws(DecodingError) in
      each(index, RouteAnswer(try message.lookup(of: bytes)))
    }
  }

  /// Does with a remembered answer what ``readAnswer(to:)`` does with a new one.
  private mutating func review(_ known: LookupCache.Lookup) {
    if tables.unfinished.hasDeletions { suspect(known.answer) }
    tables.nextHops?.record(known.nextHops, to: known.request.question)
  }

  /// Notes if an answer may come from a route that the kernel is about to delete.
  mutating func suspect(_ answer: RouteAnswer) {
    if tables.unfinished.mayContain(answer) { hasSuspectAnswer = true }
  }

  private mutating func chosenSource(for question: RouteRequest) -> RouteAnswer {
    if tables.mayMatchUsers, sources?.switchUser(to: SocketUser.current) == false {
      return .failure(.trouble)
    }
    return sources?.source(for: question) ?? .failure(.trouble)
  }

  /// The user that packets belong to, where a rule may match users; the system call costs a twentieth of a lookup.
  // A call would copy this large value.
  @inline(__always)
  var user: UInt32? {
    guard tables.mayMatchUsers else { return nil }
    let user = SocketUser.current
    return user == 0 ? rootUser ?? 0 : user
  }
}
#endif
