import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport

@testable import BackstitchSync

/// Answers requests by a function, and keeps them.
final class StubTransport: Transport {
    typealias Answer = @Sendable (TransportRequest) throws -> TransportResponse

    private let answer: Answer
    private let seen = Locked<[TransportRequest]>([])

    init(_ answer: @escaping Answer) { self.answer = answer }

    var requests: [TransportRequest] { seen.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        seen.withLock { $0.append(request) }
        return try answer(request)
    }

    /// A client of a server that always answers so.
    static func client(
        _ options: [StoreOption: any Sendable] = [:], _ answer: @escaping Answer
    ) throws -> (CloudClient, StubTransport) {
        var raw: [StoreOption: any Sendable] = [.syncServerURL: "https://example.org/"]
        raw.merge(options) { $1 }
        let checked = try StoreOptions(raw, specifications: SyncOptions.specifications)
        let transport = StubTransport(answer)
        return (
            CloudClient(options: try SyncOptions(checked, model: SyncTestModel.resolved()), transport: transport),
            transport
        )
    }
}

extension TransportResponse {
    static func json(_ text: String, status: Int = 200, headers: [(name: String, value: String)] = [])
        -> TransportResponse
    {
        TransportResponse(status: status, headers: headers, body: Array(text.utf8))
    }
}

extension TransportRequest {
    func has(_ name: String, _ value: String) -> Bool { headers.contains { $0.name == name && $0.value == value } }
}
