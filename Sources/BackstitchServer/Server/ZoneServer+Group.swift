import BackstitchSupport
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

extension ZoneServer {
    /// The most connections that wait to be accepted; Linux allows 4,096 by default. Beyond it the system drops new
    /// ones, and their callers try again after a second. So a stranger who opens many at once would make others wait.
    private static let backlog = 4_096

    /// All services of a running server, in one group.
    func group(
        _ zones: ZoneApplication, _ tls: ServerTLS?, onListening: @escaping @Sendable (URL) -> Void
    ) throws -> ServiceGroup {
        let registry = zones.connections
        let headTimeout = TimeAmount.seconds(Int64(configuration.headTimeout))
        let idleTimeout = TimeAmount.seconds(Int64(configuration.idleTimeout))
        let plain = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [
                    ConnectionKeeper(
                        registry: registry, headTimeout: headTimeout, metrics: zones.service.context.metrics),
                    AnswerKeeper(timeout: idleTimeout),
                    ExpectationHandler(),
                ],
                idleTimeout: idleTimeout,
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 16_384, maxHeaderListSize: 32_768, maxHeaderFieldCount: 100)))
        let application = Application(
            responder: zones.responder,
            server: try tls?.secured(plain) ?? plain,
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: "Backstitch",
                backlog: Self.backlog),
            onServerRunning: { [configuration, self] channel in
                let port = channel.localAddress?.port ?? configuration.port
                guard let url = Self.url(configuration.scheme, configuration.host, port) else { return }
                state.withLock { $0.url = url }
                readiness.serve { [storage = zones.service.context.storage] in
                    let anybody = DatabaseKey(tenant: "", scope: .private, owner: "")
                    _ = try await storage.read { try $0.owner(anybody) }
                    try await storage.requireRoom()
                }
                channel.closeFuture.whenComplete { _ in self.listenerClosed() }
                onListening(url)
            },
            logger: configuration.logger)
        // Services end in the reverse order: first the waiting polls, then the connections.
        let listening = zones.service.context.push.peers.map { peers in
            PeerListening(service: zones.service, peers: peers)
        }
        // This one ends last, since requests that end before it may have pushes to send.
        let sending = zones.service.context.push.wake.map { WakeSending(service: zones.service, wake: $0) }
        var groupConfiguration = ServiceGroupConfiguration(
            services: (sending.map { [.init(service: $0)] } ?? []) + [
                .init(service: PushDrain(stage: zones.service.context.push.stage)),
                .init(service: application),
                .init(service: Housekeeping(service: zones.service)),
            ] + (listening.map { [.init(service: $0)] } ?? []) + [
                .init(service: PollTimes(hub: zones.service.context.push.hub)),
                .init(service: PollDrain(service: zones.service)),
                .init(
                    service: ConnectionCut(
                        registry: registry, clock: configuration.clock, grace: configuration.shutdownGrace)),
            ], logger: configuration.logger)
        groupConfiguration.maximumGracefulShutdownDuration = .seconds(configuration.shutdownGrace)
        return ServiceGroup(configuration: groupConfiguration)
    }
}
