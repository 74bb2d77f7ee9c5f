// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
/// A name server that gives invalid answers, chosen by the first label of the queried name.
package enum LyingServer {
  /// A Python 3 program, which creates a file when it is ready.
  package static let program = #"""
    import random, socket, struct, sys, threading, time

    def name(text):
        return b"".join(bytes([len(label)]) + label for label in text.encode().split(b".") if label) + b"\0"

    def record(kind, data, owner=b"\xc0\x0c"):
        return owner + struct.pack("!HHIH", kind, 1, 60, len(data)) + data

    def a(number):
        return record(1, socket.inet_aton(f"10.9.{number // 250}.{number % 250 + 1}"))

    def cname(owner, target):
        return record(5, name(target), name(owner))

    def reply(query, records=(), flags=0x8580, count=None):
        number = len(records) if count is None else count
        return query[:2] + struct.pack("!HHHHH", flags, 1, number, 0, 0) + question(query) + b"".join(records)

    def question(query):
        end = 12
        while query[end]: end += query[end] + 1
        return query[12:end + 5]

    def asked(query):
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode())
            at += query[at] + 1
        return ".".join(labels), struct.unpack("!H", query[at + 1:at + 3])[0]

    def answers(query, stream):
        """The replies, one per datagram; None closes the connection."""
        host, kind = asked(query)
        lie = host.split(".")[0].lower()
        whole = reply(query, [a(1)] if kind == 1 else [])
        noise = random.Random(host)
        if lie == "honest": return [whole]
        if lie == "silent": return []
        if lie == "slow":
            time.sleep(0.7)
            return [whole]
        if lie in ("thousand", "most"):
            if not stream: return [reply(query, flags=0x8780)]
            count = (1000 if lie == "thousand" else 4000) if kind == 1 else 0
            return [reply(query, [a(n) for n in range(count)])]
        if lie == "cut": return [reply(query, flags=0x8780)] if not stream else None
        if lie == "cutforever": return [reply(query, flags=0x8780)]
        if lie == "cutsilent": return [reply(query, flags=0x8780)] if not stream else []
        if lie == "self": return [reply(query, [cname(host, host)])]
        if lie == "loop": return [reply(query, [cname(host, "b." + host), cname("b." + host, host)])]
        if lie == "chain":
            links = [host] + [f"c{n}.test" for n in range(60)]
            last = record(1, socket.inet_aton("10.9.0.1"), name(links[-1]))
            if kind != 1: return [reply(query)]
            return [reply(query, [cname(x, y) for x, y in zip(links, links[1:])] + [last])]
        if lie == "dangling": return [reply(query, [cname(host, "nowhere.test")])]
        if lie == "noise": return [query[:2] + noise.randbytes(300)]
        if lie == "strangers":
            number = struct.unpack("!H", query[:2])[0]
            return [struct.pack("!H", number + n & 0xffff) + whole[2:] for n in range(1, 100)]
        if lie == "another":
            other = query[:12] + name("other.test") + query[-4:]
            return [reply(other, [a(1)])]
        if lie == "empty": return [b""]
        if lie == "half": return [whole[:-3]]
        if lie == "counts": return [reply(query, [a(1)], count=65535)]
        if lie.startswith("rcode"): return [reply(query, flags=0x8580 | int(lie[5:]))]
        return [reply(query, flags=0x8583)]

    def datagrams(udp):
        while True:
            query, sender = udp.recvfrom(65536)
            def run(query=query, sender=sender):
                for answer in answers(query, False) or []: udp.sendto(answer, sender)
            threading.Thread(target=run, daemon=True).start()

    def streams(tcp):
        while True:
            connection, _ = tcp.accept()
            def run(connection=connection):
                try:
                    while True:
                        length = connection.recv(2, socket.MSG_WAITALL)
                        if len(length) < 2: return
                        query = connection.recv(struct.unpack("!H", length)[0], socket.MSG_WAITALL)
                        replies = answers(query, True)
                        if replies is None: return
                        for answer in replies: connection.sendall(struct.pack("!H", len(answer)) + answer)
                finally: connection.close()
            threading.Thread(target=run, daemon=True).start()

    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 53))
    tcp = socket.create_server(("127.0.0.1", 53), backlog=100)
    threading.Thread(target=datagrams, args=(udp,), daemon=True).start()
    open(sys.argv[1], "w").close()
    streams(tcp)
    """#
}
#endif
