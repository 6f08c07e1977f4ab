import Backstitch

/// The parts of a server that tell devices of changes.
struct PushParts: Sendable {
    /// The mailboxes of devices, with their long polls.
    let hub: PushHub
    /// The news of commits that are still to be told.
    let stage = PushStage()
    /// The push to apps that are not running; nil if it is not configured.
    let wake: Wake?
    /// The other servers of the storage; nil if the storage cannot be shared.
    let peers: PeerServers?

    init(_ configuration: ZoneServerConfiguration, _ metrics: ServerMetrics, isShared: Bool) {
        hub = PushHub(clock: configuration.clock)
        wake = configuration.apns.map { apns in
            Wake(apns, metrics.wakes, clock: configuration.clock, logger: configuration.logger)
        }
        peers = isShared ? PeerServers(server: configuration.random.identifier()) : nil
    }
}
