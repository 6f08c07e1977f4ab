import BackstitchTestKit
import Testing

@testable import BackstitchSync

@Suite("the kernel's tables of links and routes")
struct NetlinkTablesTests {
    private static let up: UInt32 = 0x1, loopback: UInt32 = 0x8, running: UInt32 = 0x40

    // MARK: Messages as Linux makes them

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: -bytes.count & 3)
    }

    private static func message(
        _ type: UInt16, _ body: [UInt8], flags: UInt16 = 2, sequence: UInt32 = 7
    ) -> [UInt8] {
        padded(
            bytes(UInt32(16 + body.count)) + bytes(type) + bytes(flags) + bytes(sequence) + bytes(UInt32(4242)) + body)
    }

    private static func link(_ number: Int32, _ flags: UInt32) -> [UInt8] {
        message(16, [0, 0] + bytes(UInt16(1)) + bytes(number) + bytes(flags) + bytes(UInt32(0)) + attribute(3, [0x78]))
    }

    private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        padded(bytes(UInt16(4 + value.count)) + bytes(type) + value)
    }

    /// - Parameters:
    ///   - family: 2 for IPv4, 10 for IPv6.
    ///   - kind: 1 for a route to one address, 2 for one of this machine, 7 for an unreachable one.
    private static func route(
        over link: Int32?, family: UInt8 = 2, to destination: [UInt8] = [], bits: UInt8 = 0, kind: UInt8 = 1,
        flags: UInt32 = 0
    ) -> [UInt8] {
        let head = [family, bits, 0, 0, 254, 2, 0, kind] + bytes(flags)
        let place = destination.isEmpty ? [] : attribute(1, destination)
        return message(24, head + place + (link.map { attribute(4, bytes($0)) } ?? attribute(9, [16, 0, 0, 0])))
    }

    private static let done = message(3, bytes(Int32(0)))

    private static func take(_ parts: [[UInt8]], into tables: inout NetlinkTables) throws -> [Bool] {
        try parts.map { part in try part.withUnsafeBytes { try tables.take($0, sequence: 7) } }
    }

    private static func hasRoute(_ links: [UInt8], _ routes: [UInt8]) throws -> Bool {
        var tables = NetlinkTables()
        #expect(try take([links, done], into: &tables) == [false, true])
        _ = try take([routes, done], into: &tables)
        return tables.hasRoute
    }

    private static let lo = link(1, up | running | loopback)
    private static let eth = link(2, up | running | 0x1002)

    @Test("a route over a link that is up, running and no loopback leads elsewhere")
    func available() throws {
        #expect(try Self.hasRoute(Self.lo + Self.eth, Self.route(over: 2)))
        #expect(try Self.hasRoute(Self.lo + Self.eth, Self.route(over: 2, to: [10, 9, 8, 0], bits: 24)))
        let global = [0x20, 0x01] + [UInt8](repeating: 0, count: 14)
        #expect(try Self.hasRoute(Self.lo + Self.eth, Self.route(over: 2, family: 10, to: global, bits: 64)))
    }

    @Test("one over several links, or over one that is not known yet, is taken for one that leads elsewhere")
    func unsure() throws {
        #expect(try Self.hasRoute(Self.lo, Self.route(over: nil)))
        #expect(try Self.hasRoute(Self.lo, Self.route(over: 9)))
    }

    @Test("without a link that works there is no network")
    func unavailable() throws {
        for flags in [0, Self.up, Self.running, Self.up | Self.running | Self.loopback] {
            #expect(try !Self.hasRoute(Self.lo + Self.link(2, flags), Self.route(over: 2)), "flags \(flags)")
        }
        #expect(try !Self.hasRoute(Self.lo + Self.eth, []))
    }

    @Test("routes that end here or at the link, that lead nowhere, or are only remembered, are none")
    func routes() throws {
        let local = [0xFE, 0x80] + [UInt8](repeating: 0, count: 14)
        let group = [0xFF] + [UInt8](repeating: 0, count: 15)
        let routes = [
            Self.route(over: 1), Self.route(over: 2, family: 10, to: local, bits: 64),
            Self.route(over: 2, family: 10, to: group, bits: 8), Self.route(over: 2, kind: 2),
            Self.route(over: 2, kind: 7), Self.route(over: 2, flags: 0x200),
        ]
        for route in routes + [routes.flatMap(\.self)] { #expect(try !Self.hasRoute(Self.lo + Self.eth, route)) }
    }

    @Test("what the kernel refuses, and a table that changes while it is read, are told; answers to others are skipped")
    func faults() throws {
        var tables = NetlinkTables()
        #expect(throws: NetlinkTables.Fault.refused(1)) {
            try Self.take([Self.message(2, Self.bytes(Int32(-1)))], into: &tables)
        }
        #expect(throws: NetlinkTables.Fault.refused(95)) {
            try Self.take([Self.message(3, Self.bytes(Int32(-95)))], into: &tables)
        }
        #expect(throws: NetlinkTables.Fault.interrupted) {
            try Self.take([Self.message(3, Self.bytes(Int32(0)), flags: 0x12)], into: &tables)
        }
        let foreign = Self.message(3, Self.bytes(Int32(0)), sequence: 8)
        #expect(try Self.take([foreign, Self.done], into: &tables) == [false, true])
    }

    @Test("bytes that are no messages are told, and never read beyond their end")
    func malformed() throws {
        let whole = Self.lo + Self.eth + Self.route(over: 2, to: [10, 9, 8, 0], bits: 24) + Self.done
        for count in 1..<whole.count {
            var tables = NetlinkTables()
            let isDone = try? Self.take([Array(whole.prefix(count))], into: &tables)
            #expect(isDone != [true], "\(count) bytes")
        }
        let seed = UInt64.random(in: 0 ... .max)
        print("counted: bytes of netlink at random, seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            var spoilt = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                spoilt[Int.random(in: 0..<whole.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var tables = NetlinkTables()
            _ = try? Self.take([spoilt], into: &tables)
        }
    }

    @Test("a question asks for all of a table")
    func question() {
        let question = NetlinkDump.routes.question(3)
        #expect(question.count == 32)
        #expect(question.prefix(12) == Self.message(26, [], flags: 0x301, sequence: 3).prefix(12).replacingLength(32))
    }
}

extension ArraySlice<UInt8> {
    /// The same with another length in the head of the message.
    fileprivate func replacingLength(_ length: UInt32) -> ArraySlice<UInt8> {
        (Swift.withUnsafeBytes(of: length) { Array($0) } + Array(dropFirst(4)))[...]
    }
}
