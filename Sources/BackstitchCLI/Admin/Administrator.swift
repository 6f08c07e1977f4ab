import ArgumentParser
import BackstitchPostgreSQL
import BackstitchServer
import Logging

/// Does what administrators ask for.
protocol Administrator: Sendable {
    /// - Throws: `IdentityError` when it cannot be done.
    func ask<Request: AdministrationRequest>(_ request: Request) async throws -> Request.Answer
}
