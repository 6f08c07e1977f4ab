package import Backstitch
import Foundation

/// Carries requests over HTTP. Certificates are verified. Redirects are not followed, so that no answer decides the
/// destination of secrets. Answers are bounded in time and size.
package struct HTTPTransport: Transport {
    /// The library for transports that are created in this task. Only tests set it, to try each.
    @TaskLocal package static var library = HTTPLibrary.preferred

    private let clock: any WallClock
    private let connections: any Transport

    /// Creates a transport that measures time by `clock`.
    ///
    /// - Parameter trustRoots: The path of a file of certificates (PEM) that must sign a server's certificate; nil for
    ///   those of the system.
    /// - Throws: ``BackstitchError/Code/invalidOption`` when the file contains none, or when the library accepts only
    ///   those of the system.
    package init(clock: any WallClock = SystemClock(), trustRoots: String? = nil) throws {
        self.clock = clock
        do {
            let certificates = try trustRoots.map { try Data(contentsOf: URL(filePath: $0)) }
            connections = try Self.library.connections(trusting: certificates)
        } catch let error as BackstitchError {
            throw error
        } catch {
            throw BackstitchError(
                .invalidOption,
                "option \"syncTrustRoots\" names \(trustRoots ?? "no file"), which holds no certificates that can be read (PEM)",
                key: StoreOption.syncTrustRoots.rawValue, cause: error)
        }
    }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        return try await withThrowingTaskGroup(of: TransportResponse.self) { group in
            group.addTask { [connections] in try await connections.send(request) }
            group.addTask { [clock] in
                try await clock.sleep(milliseconds: request.timeout)
                throw TransportError(.timeout, "the server did not answer within \(request.timeout) ms")
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }
}
