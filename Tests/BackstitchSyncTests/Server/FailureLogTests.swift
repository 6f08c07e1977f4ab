import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import CloudWire
import Logging
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the log of a sync that fails", .scenario)
struct FailureLogTests: ScenarioSuite {
    @Test("has one line of it, whatever the server's error", arguments: WireErrorCode.allCases)
    func codes(_ code: WireErrorCode) async throws {
        let line = RefusingLine(try s.server, code)
        try await expectOneLine("\(code)", over: line)
    }

    @Test("has one line of it when the network fails for as long as a step is tried")
    func network() async throws {
        let scenario = try s
        await scenario.network(.offline)
        try await expectOneLine("offline", over: scenario.server)
    }

    private func expectOneLine(_ name: String, over line: any Transport) async throws {
        let lines = Locked<[String]>([])
        let logger = Logger(label: "test") { _ in LineLog(lines: lines) }
        let device = try ScenarioStore.$logger.withValue(logger) { try s.device(over: line) }
        _ = try await device.addNote("n")
        let error = await #expect(throws: BackstitchError.self) { try await device.sync.sync() }
        let message = try #require(error?.message)
        let levels = ["info", "notice", "warning", "error"]
        let told = lines.withLock { $0 }.filter { line in levels.contains { line.hasPrefix($0) } }
        let count = told.count { $0.contains(message) }
        #expect(count == 1 && told.count == 1, "\(name): \(told)")
    }
}

/// Carries requests to a server, and gives an error for each.
private struct RefusingLine: Transport {
    private let code: WireErrorCode
    private let base: any Transport

    init(_ base: any Transport, _ code: WireErrorCode) { (self.base, self.code) = (base, code) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var response = try await base.send(request)
        response.status = 400
        response.body = Array(#"{"serverErrorCode":"\#(code.rawValue)","reason":"as the test wants it"}"#.utf8)
        return response
    }
}
