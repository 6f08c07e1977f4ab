import Backstitch
import BackstitchSupport
import CoreMetrics
import Foundation
import Hummingbird
import HummingbirdCore
import NIOCore
import ServiceLifecycle

extension ZoneServer {
    /// Runs `body` while the listener for operators answers: from before the storage opens until after it closes.
    /// Operators need answers at exactly those times.
    ///
    /// - Throws: ``ZoneServerError`` if the administration's address cannot be listened on; otherwise the error of
    ///   `body`.
    func withAdministration(_ body: () async throws -> Void) async throws {
        guard let listener = configuration.administration else { return try await body() }
        let (listening, continuation) = AsyncStream<URL>.makeStream()
        var groupConfiguration = ServiceGroupConfiguration(
            services: [.init(service: application(listener) { continuation.yield($0) })], logger: configuration.logger)
        groupConfiguration.maximumGracefulShutdownDuration = .seconds(1)
        let group = ServiceGroup(configuration: groupConfiguration)
        // The task is detached: a cancellation around the server must not end the listener at once.
        let running = Task.detached {
            defer { continuation.finish() }
            try await group.run()
        }
        var isListening = false
        for await url in listening {
            state.withLock { $0.administrationURL = url }
            isListening = true
            break
        }
        if !isListening {
            await group.triggerGracefulShutdown()
            do { try await running.value } catch {
                throw ZoneServerError(
                    listeningOn: listener.host, listener.port, option: "--admin-port", failed: error) ?? error
            }
            throw CancellationError()
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        state.withLock { $0.administrationURL = nil }
        await group.triggerGracefulShutdown()
        _ = await running.result
        try result.get()
    }

    private func application(
        _ listener: AdministrationListener, onListening: @escaping @Sendable (URL) -> Void
    ) -> Application<AdministrationResponder> {
        let metrics = ServerMetrics(NOOPMetricsHandler.instance)
        let registry = ConnectionRegistry(total: 64, perAddress: 64, metrics: metrics)
        let headTimeout = TimeAmount.seconds(Int64(configuration.headTimeout))
        let idleTimeout = TimeAmount.seconds(Int64(configuration.idleTimeout))
        return Application(
            responder: AdministrationResponder(
                readiness: readiness, metrics: listener.metrics, runner: configuration.runner,
                desk: AdministrationDesk(configuration) { [self] in state.withLock { $0.service } }),
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [
                        ConnectionKeeper(registry: registry, headTimeout: headTimeout, metrics: metrics),
                        AnswerKeeper(timeout: idleTimeout),
                        ExpectationHandler(),
                    ],
                    idleTimeout: idleTimeout,
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 16_384, maxHeaderListSize: 32_768, maxHeaderFieldCount: 100))),
            configuration: ApplicationConfiguration(
                address: .hostname(listener.host, port: listener.port), serverName: "Backstitch"),
            onServerRunning: { channel in
                if let url = Self.url("http", listener.host, channel.localAddress?.port ?? listener.port) {
                    onListening(url)
                }
            },
            logger: configuration.logger)
    }

    /// The URL of a listener. An IPv6 address gets brackets.
    static func url(_ scheme: String, _ host: String, _ port: Int) -> URL? {
        URL(string: "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)")
    }
}
