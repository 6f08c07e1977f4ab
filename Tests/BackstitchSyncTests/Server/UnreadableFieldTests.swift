import Backstitch
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import Logging
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("a record with a field that cannot be read", .scenario)
struct UnreadableFieldTests: ScenarioSuite {
    /// A number that reaches the devices over ``SpoiltLine`` as a text.
    private static let spoilt = 777_000_777

    @Test("waits alone, is logged with its name and the field's, and comes once it is written again")
    func parked() async throws {
        let other = try s.device()
        let id = try await other.add(["title": "spoilt", "rank": .int(Int64(Self.spoilt))])
        try await other.add(["title": "whole", "rank": 1])
        try await other.sync.sync()
        let lines = Locked<[String]>([])
        let logger = Logger(label: "test") { _ in LineLog(lines: lines) }
        func open() throws -> SyncDevice {
            try ScenarioStore.$logger.withValue(logger) { try s.device("phone", over: SpoiltLine(base: try s.server)) }
        }
        var device = try open()
        let told = try await device.sync.sync().parked
        #expect(told.map(\.recordName) == [id.key.uuidString] && told.map(\.recordType) == ["Note"])
        #expect(told.first?.reason.contains("field 'rank'") == true)
        #expect(try await device.titles() == ["whole"])
        let logged = lines.withLock { $0 }.filter { $0.contains(id.key.uuidString) && $0.contains("field 'rank'") }
        #expect(logged.count == 1 && logged.first?.hasPrefix("warning") == true, "\(logged)")
        // It is kept with its fault.
        try device.close()
        device = try open()
        #expect(try await device.sync.blocked.parkedRecords().map(\.recordName) == [id.key.uuidString])
        try await device.sync.syncFromScratch()
        #expect(try await device.titles() == ["whole"])
        try await other.set(id, ["rank": 2])
        try await other.sync.sync()
        try await device.sync.sync()
        #expect(try await device.titles() == ["spoilt", "whole"])
        #expect(try await device.sync.blocked.parkedRecords().isEmpty)
    }

    @Test("blocks the edit that meets it, and no other; once it is written again the edit is merged")
    func conflict() async throws {
        let other = try s.device(), device = try s.device(over: SpoiltLine(base: try s.server))
        let id = try await device.add(["title": "before", "rank": 1])
        try await device.sync.sync()
        try await other.sync.sync()
        try await other.set(id, ["rank": .int(Int64(Self.spoilt))])
        try await other.sync.sync()
        try await device.set(id, ["title": "edited"])
        try await device.add(["title": "new"])
        let summary = try await device.sync.sync()
        #expect(summary.sent == 1 && summary.blocked.map(\.objectID) == [id])
        #expect(summary.blocked.first?.reason.contains("field 'rank'") == true)
        #expect(try await device.titles() == ["edited", "new"])
        try await other.set(id, ["rank": 2])
        try await other.sync.sync()
        try await device.sync.blocked.retry()
        try await device.sync.sync()
        try await other.sync.sync()
        #expect(try await device.titles() == ["edited", "new"])
        #expect(try await device.dump() == other.dump())
    }

    @Test("waits alone among the results of a followed query")
    func followed() async throws {
        let options: [StoreOption: any Sendable] = [.syncDatabase: "public"]
        let other = try s.device(nil, options)
        let device = try s.device(nil, options, over: SpoiltLine(base: try s.server))
        let id = try await other.add(["title": "spoilt", "rank": .int(Int64(Self.spoilt))])
        try await other.add(["title": "whole", "rank": 1])
        try await other.sync.sync()
        try await device.sync.following.start(FetchRequest<TestNote>(where: "rank > 0"))
        let told = try await device.sync.sync().parked
        #expect(told.map(\.recordName) == [id.key.uuidString])
        #expect(try await device.titles() == ["whole"])
    }
}

/// Carries requests to a server, and makes a text of one number in its answers.
private struct SpoiltLine: Transport {
    let base: any Transport

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var response = try await base.send(request)
        let text = String(decoding: response.body, as: UTF8.self)
        response.body = Array(text.replacing(":777000777", with: ":\"many\"").utf8)
        return response
    }
}
