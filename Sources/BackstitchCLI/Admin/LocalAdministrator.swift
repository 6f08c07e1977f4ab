import ArgumentParser
import BackstitchPostgreSQL
import BackstitchServer
import Foundation
import Logging

/// Executes requests in a storage that this command has opened.
struct LocalAdministrator: Administrator {
    private let opened: OpenedIdentities

    init(_ place: ZoneServerConfiguration.Storage) async throws {
        var logger = Logger(label: "backstitch.admin") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        opened = try await OpenedIdentities(place, logger: logger)
    }

    func ask<Request: AdministrationRequest>(_ request: Request) async throws -> Request.Answer {
        try await request.answer(opened.identities)
    }

    func close() async throws { try await opened.close() }
}
