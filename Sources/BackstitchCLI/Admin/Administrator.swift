import ArgumentParser
import BackstitchPostgreSQL
import BackstitchServer
import Logging

/// Executes the requests of administrators, in a storage or through a server.
protocol Administrator: Sendable {
    /// Executes a request and returns its answer.
    ///
    /// - Throws: `IdentityError` when the request cannot be executed.
    func ask<Request: AdministrationRequest>(_ request: Request) async throws -> Request.Answer
}
