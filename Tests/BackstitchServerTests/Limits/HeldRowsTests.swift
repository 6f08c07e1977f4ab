import Backstitch
import BackstitchPostgreSQL
import BackstitchSQL
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Changes whose rows others keep locked.
@Suite("rows that others hold") struct HeldRowsTests {
    private static let requests: [(WireEndpoint, String)] = [
        (.zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Y"}}}]}"#),
        (.zonesModify, #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"Z"}}}]}"#),
        (
            .recordsModify,
            #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"create","record":{"recordType":"T"}}]}"#
        ),
        (
            .subscriptionsModify,
            #"{"operations":[{"operationType":"create","subscription":{"subscriptionType":"database"}}]}"#
        ),
        (.tokensCreate, #"{"apnsEnvironment":"development"}"#),
    ]

    @Test("for too long are answered with TRY_AGAIN_LATER and the seconds to wait, on every route that changes lists")
    func routes() async throws {
        let schema = "zones_\(UUID().uuidString.lowercased())"
        let patient = try DatabaseSource.postgreSQL(StorageKind.url, options: [.postgresSchema: schema])
        let hasty = try DatabaseSource.postgreSQL(
            StorageKind.url, options: [.postgresSchema: schema, .postgresStatementTimeout: 0.5])
        try await withFolder { folder in
            // The tables are made without haste: on a busy machine that takes long.
            try await withServer({ $0.storage = .database(patient, assets: folder) }) { client, _ in
                _ = try await client.makeZone()
            }
            try await withServer({ $0.storage = .database(hasty, assets: folder) }) { client, server in
                guard let service = server.state.withLock({ $0.service }) else { throw TestFailure("no service") }
                let (held, hold) = AsyncStream.makeStream(of: Void.self)
                let end = DispatchSemaphore(value: 0)
                let holder = Task {
                    try await service.context.storage.write { writing in
                        try writing.execute(
                            "LOCK TABLE tenant, owner, zone, subscription, push_token IN EXCLUSIVE MODE")
                        hold.finish()
                        end.wait()
                    }
                }
                for await _ in held {}
                for (endpoint, body) in Self.requests {
                    let answer = try await client.raw(endpoint, body)
                    #expect(answer.status == 503, "\(endpoint): \(answer.text)")
                    let error = try WireError(wireJSON: answer.body)
                    #expect(error.code == .tryAgainLater && error.retryAfter == 1, "\(endpoint): \(answer.text)")
                }
                end.signal()
                try await holder.value
                for (endpoint, body) in Self.requests {
                    let answer = try await client.raw(endpoint, body)
                    #expect(answer.status == 200, "\(endpoint): \(answer.text)")
                    // The zone of the further requests.
                    if body.contains("delete") { try await client.makeZone() }
                }
            }
        }
    }
}
