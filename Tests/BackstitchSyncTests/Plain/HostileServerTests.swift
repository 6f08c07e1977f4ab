import Backstitch
import BackstitchSimulator
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("a server that does not mean well")
struct HostileServerTests {
    struct Trick: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Requests that a cycle may cost.
        var most = 40
        let reply: @Sendable (LoopbackHTTP.Request, PlainServer.Answer) -> LoopbackHTTP.Reply?

        init(
            _ name: String, most: Int = 40,
            _ reply: @escaping @Sendable (LoopbackHTTP.Request, PlainServer.Answer) -> LoopbackHTTP.Reply?
        ) {
            testDescription = name
            self.most = most
            self.reply = reply
        }

        private static let number = Locked(0)

        static let all = [
            Trick("HTML with status 200") { _, _ in .answer(status: 200, body: Array("<html>hi</html>".utf8)) },
            Trick("nothing with status 200") { _, _ in .answer(status: 200) },
            Trick("a redirect to another host") { _, _ in
                .answer(status: 302, headers: [(name: "Location", value: "http://127.0.0.1:9/steal")])
            },
            Trick("connections that end") { _, _ in .hangUp },
            Trick("a body that is shorter than it says") { _, _ in
                .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".utf8))
            },
            Trick("a body that has no end") { _, _ in
                .raw(
                    Array("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n".utf8)
                        + [UInt8](repeating: 32, count: 1 << 20))
            },
            Trick("headers that are none") { _, _ in .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n".utf8))
            },
            Trick("JSON that is nested without end") { _, _ in
                .answer(status: 200, body: [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20))
            },
            Trick("lists of ten thousand errors", most: 60) { _, _ in
                let error = #"{"recordName":"x","zoneID":{"zoneName":"x"},"serverErrorCode":"CONFLICT","reason":"r"}"#
                let list = [String](repeating: error, count: 10_000).joined(separator: ",")
                return .answer(status: 200, body: Array(#"{"records":[\#(list)],"zones":[\#(list)]}"#.utf8))
            },
            Trick("waits of a thousand years") { _, _ in
                .answer(
                    status: 429, headers: [(name: "Retry-After", value: "31536000000")],
                    body: Array(#"{"uuid":"1","serverErrorCode":"THROTTLED","reason":"r","retryAfter":1e18}"#.utf8))
            },
            Trick("empty pages without end", most: 400) { request, _ in
                guard request.path.contains("changes/zone") else { return nil }
                let number = number.withLock { number in
                    number += 1
                    return number
                }
                let zone = #""zoneID":{"zoneName":"Backstitch"}"#
                let page = #"{\#(zone),"syncToken":"t\#(number)","moreComing":true,"records":[]}"#
                return .answer(status: 200, body: Array(#"{"zones":[\#(page)]}"#.utf8))
            },
            Trick("every change is in conflict with what is not there", most: 400) { request, answer in
                guard request.path.contains("records/modify") else { return nil }
                let operations = (try? PlainJSON(request.body))?["operations"].elements ?? []
                let names = operations.compactMap { $0["record"]["recordName"].text }
                let items = names.map {
                    #"{"recordName":"\#($0)","serverErrorCode":"CONFLICT","reason":"r"}"#
                }
                return .answer(status: 200, body: Array(#"{"records":[\#(items.joined(separator: ","))]}"#.utf8))
            },
        ]
    }

    @Test(
        "each of its tricks ends the cycle, is told, costs few requests and loses no unsent edit", arguments: Trick.all)
    func tricks(_ trick: Trick) async throws {
        try await PlainWorld.run { world in
            let a = try world.device(policy: .clientWins)
            let id = try await a.addNote("before")
            try await a.sync.sync()
            try await a.change(id) { note, _ in note.title = "unsent" }
            _ = try await a.addNote("new")
            let requests = Locked(0)
            world.interfere { request, answer in
                requests.withLock { $0 += 1 }
                return trick.reply(request, answer)
            }
            var failure: BackstitchError?
            do { try await a.sync.sync() } catch let error as BackstitchError { failure = error }
            let cost = requests.withLock { $0 }
            #expect(cost < trick.most, "\(cost) requests")
            #expect(try await a.titles() == ["new", "unsent"])
            if let failure {
                #expect(try await a.sync.status.lastError?.message == failure.message)
            }
            world.interfere(nil)
            try await a.sync.blocked.retry()
            try await a.sync.sync()
            let b = try world.device()
            try await b.sync.sync()
            #expect(try await b.titles() == ["new", "unsent"])
            #expect(try await a.sync.status.pendingCount == 0)
        }
    }

    @Test("a redirect is followed nowhere: no answer decides where secrets go", arguments: [301, 302, 307, 308])
    func redirect(_ status: Int) async throws {
        try await PlainWorld.run { world in
            let visits = Locked<[String]>([])
            let thief = try LoopbackHTTP { request in
                visits.withLock { $0.append("\(request.method) \(request.path)") }
                return .answer(status: 200)
            }
            defer { thief.stop() }
            let a = try world.device()
            _ = try await a.addNote("unsent")
            world.interfere { request, _ in
                .answer(status: status, headers: [(name: "Location", value: "\(thief.url)\(request.path)")])
            }
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            #expect(visits.withLock { $0 } == [])
        }
    }

    @Test("a record without a change tag becomes no object, is told as parked, and goes where a full read lacks it")
    func tagless() async throws {
        try await PlainWorld.run { world in
            let a = try world.device()
            let b = try world.device()
            _ = try await b.addNote("real")
            try await b.sync.sync()
            world.interfere { request, answer in
                guard request.path.contains("changes/zone") else { return nil }
                let ghost = #"{"recordName":"ghost","recordType":"Note","fields":{"title":{"value":"ghost"}}}"#
                let body = String(decoding: answer.body, as: UTF8.self)
                return .answer(
                    status: answer.status,
                    body: Array(
                        body.replacing(#""records":["#, with: #""records":[\#(ghost),"#, maxReplacements: 1).utf8))
            }
            let summary = try await a.sync.sync()
            #expect(summary.parked.map(\.recordName) == ["ghost"], "\(summary.parked)")
            #expect(summary.parked.first?.reason.contains("change tag") == true)
            #expect(try await a.titles() == ["real"])
            world.interfere(nil)
            try await a.sync.syncFromScratch()
            #expect(try await a.titles() == ["real"])
            #expect(try await a.sync.blocked.parkedRecords().isEmpty)
        }
    }

    @Test("a long poll that never waits is not asked in circles", arguments: ["", "<html>", "error", "redirect"])
    func poll(_ kind: String) async throws {
        try await PlainWorld.run { world in
            let polls = Locked(0)
            world.interfere { request, _ in
                guard request.path.hasPrefix("/aps") else { return nil }
                polls.withLock { $0 += 1 }
                switch kind {
                case "error": return .answer(status: 500)
                case "redirect":
                    return .answer(status: 307, headers: [(name: "Location", value: "/aps?tok=other")])
                default: return .answer(status: 200, body: Array(kind.utf8))
                }
            }
            world.pollWait = 0
            let a = try world.device(automatic: true, [.syncPollInterval: 600])
            try await a.sync.sync()
            try await Task.sleep(for: .seconds(3))
            #expect(polls.withLock { $0 } < 12)
            #expect(world.server.counts["tokens/register", default: 0] < 12)
            _ = try await a.addNote("still works")
            #expect(try await eventually { world.server.records(ofZone: "Backstitch").count == 1 })
        }
    }
}
