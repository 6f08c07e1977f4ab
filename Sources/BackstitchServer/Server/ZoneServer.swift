import Backstitch
import BackstitchSupport
public import Foundation
public import ServiceLifecycle

/// A zone server: keeps records by zone, tells clients about changes, and speaks CloudKit Web Services over HTTP.
///
/// ```swift
/// let server = try ZoneServer(configuration: .init(port: 0, storage: .directory(folder)))
/// let url = try await server.start()     // http://127.0.0.1:49152
/// …
/// try await server.stop()
/// ```
///
/// It can also be a `Service` of a `ServiceGroup`, by `run()`. A server runs once.
public final class ZoneServer: Service {
    /// The settings. Tokens are kept as digests only. No description shows the key of a store of assets.
    public let configuration: ZoneServerConfiguration

    let state = Locked(LifecycleState())
    let readiness: Readiness

    /// Creates a server that does not listen yet.
    ///
    /// - Throws: ``ZoneServerError`` for invalid settings, and for a server without tokens at an address within reach
    ///   of other machines.
    public init(configuration: ZoneServerConfiguration) throws(ZoneServerError) {
        try configuration.validate()
        self.configuration = configuration
        readiness = Readiness(clock: configuration.clock)
    }

    /// The address of the listening server; nil unless it runs.
    public var url: URL? {
        state.withLock { $0.url }
    }

    /// The address for operators, ``ZoneServerConfiguration/administration``; nil unless it is listened on.
    public var administrationURL: URL? {
        state.withLock { $0.administrationURL }
    }
}
