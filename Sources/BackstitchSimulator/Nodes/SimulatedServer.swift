import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire
import Logging
import NIOCore
import NIOEmbedded

/// The zone server of a world, with the observation of its work. It is one server, or several of one storage. In the
/// latter case any of them may get a request, as behind a load balancer that does not know devices.
final class SimulatedServer {
    static let container = "iCloud.backstitch"
    static let zone = "Backstitch"
    /// The zone of the public database.
    static let publicZone = ZoneID.defaultZoneName

    unowned let world: World
    private let materials: Materials
    private var servers: [any WorldServer]
    private var isDown = false
    /// The position of the zone's feed, while no work can move it.
    private(set) var knownPosition: FeedPosition??
    /// The number of requests at work that may move the zone's feed.
    private var underWay = 0
    /// The number of requests and administrative actions so far.
    private var begun = 0
    /// The number of requests at work, except long polls.
    private var atWork = 0
    /// The positions of tokens, which never change.
    private var positions: [String: FeedPosition?] = [:]
    /// Counts the stops of all servers together.
    private var life = 1
    let clock: SimulatedClock
    /// The time for which the answer to a push with a key is kept, in milliseconds.
    let answersAreKept: Int64
    let channel: any Channel = EmbeddedChannel()

    init(_ world: World, of materials: Materials, seed: UInt64) throws {
        self.world = world
        self.materials = materials
        clock = SimulatedClock(world.scheduler)
        var configuration = ZoneServerConfiguration(storage: .memory)
        configuration.clock = clock
        answersAreKept = Int64(configuration.idempotencyRetention) * 1_000
        configuration.random = SimulatedChance(seed: seed)
        configuration.extendedLimits = world.plan.limits
        configuration.logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
        configuration.publicRoles = Self.roles(everybodyWrites: world.plan.everybodyWrites)
        let first: any WorldServer
        if let behavior = world.plan.plain {
            first = PlainWorldServer(behavior, clock: clock)
        } else {
            first = try materials.server(configuration, isShared: world.plan.servers > 1)
        }
        servers = [first] + (1..<world.plan.servers).map { _ in first.another() }
    }

    /// A process of the server, as long as it lives.
    struct Process {
        let server: any WorldServer
        fileprivate let life: Int
    }

    var isRunning: Bool { !isDown }

    /// The process for the next request; nil while the server is down.
    var next: Process? { isDown ? nil : Process(server: any, life: life) }

    /// Whether a process has not been replaced since.
    func isAlive(_ process: Process) -> Bool {
        process.life == life && servers.contains { $0 === process.server }
    }

    private var any: any WorldServer {
        servers.count == 1 ? servers[0] : servers[Int(world.scheduler.pick(0...Int64(servers.count - 1)))]
    }

    /// Stops the server at once. Answers under way are lost.
    func stop() {
        guard !isDown else { return }
        world.trace.note("the server stops")
        isDown = true
        life += 1
        world.network.cutAll()
    }

    func start() {
        guard isDown else { return }
        world.trace.note("the server starts")
        servers = servers.map { $0.another() }
        isDown = false
    }

    /// The roles of the public database: every user changes the notices, or only their creator.
    static func roles(everybodyWrites: Bool) -> PublicRoles {
        var roles = PublicRoles()
        if everybodyWrites {
            roles[SimulationModel.notice] = .init(world: .read, signedIn: [.create, .write], creator: .write)
        }
        return roles
    }

    /// Stops the servers, and starts them again at once with other rights in the public database. Answers under way are
    /// lost.
    func restart(everybodyWrites: Bool) {
        guard !isDown else { return }
        life += 1
        world.network.cutAll()
        servers = servers.map { $0.another(everybodyWrites: everybodyWrites) }
    }

    /// Kills one of several servers and starts it again at once. Its answers under way are lost.
    func restartOne() {
        guard !isDown else { return }
        let place = Int(world.scheduler.pick(0...Int64(servers.count - 1)))
        world.trace.note("server \(place) of \(servers.count) is killed")
        world.situations.note("one of several servers was killed")
        world.network.cutAll(at: servers[place])
        servers[place] = servers[place].another()
    }

    /// Informs the other servers of a storage about work of this one: soon, or only when they look by themselves.
    private func tellOthers(than server: any WorldServer) {
        guard servers.count > 1 else { return }
        for other in servers where other !== server && (world.isHealed || world.scheduler.chance(800)) {
            world.scheduler.after(world.scheduler.pick(1...300)) { [self] in look(other) }
        }
    }

    /// Lets all servers of a storage look for changes by the others.
    func lookAround() {
        guard servers.count > 1 else { return }
        for server in servers { look(server) }
    }

    private func look(_ server: any WorldServer) {
        guard !isDown, servers.contains(where: { $0 === server }) else { return }
        let world = world
        world.scheduler.task { await world.attempt { try await server.lookAtPeers() } }
    }

    /// Answers a request, and notes its effects.
    func answer(_ exchange: Exchange, by server: any WorldServer) async throws -> TransportResponse {
        let request = exchange.request
        if world.plan.hasSecrets, SecretSearch.hidden.isIn(request.body) {
            world.fail("\(exchange.device.name) has sent a plaintext to \(exchange.endpoint)")
        }
        let isPush = exchange.endpoint == "records/modify", isPoll = exchange.endpoint.hasSuffix("/aps")
        let zone = isPush ? exchange.zone : Self.zone
        let before = isPush ? try await position(ofZone: zone) : nil
        let rights = world.sharing.rights
        begun += 1
        atWork += isPoll ? 0 : 1
        defer { atWork -= isPoll ? 0 : 1 }
        let cut = isPush ? try comingPowerCut(server) : nil
        // A device sends its public key when it accepts a share.
        let mayMove = exchange.endpoint.hasSuffix("/modify") || exchange.endpoint == "records/accept"
        let answer = try await mayMoveZone(mayMove) {
            try await server.answer(request, channel: channel)
        }
        if !isPoll { tellOthers(than: server) }
        if let cut, try cutPower(cut) { return answer }
        if isPush, answer.status == 200 {
            // If others may push between the two looks, a moved zone proves nothing about this push.
            let isAlone = world.plan.bug != .lateLock
            let isRepeat = exchange.push?.idempotencyKey.map(world.pushes.hasCommitted) ?? false
            let hasMoved = try await position(ofZone: zone) != before
            let hasCommitted = isAlone ? hasMoved : !isRepeat
            note(exchange, answer, inZone: zone, hasCommitted: hasCommitted)
            let isWhole = zone == world.plan.wholeZone && (!world.plan.sharesObjects || world.plan.gallery != nil)
            if hasCommitted, exchange.device.guest != nil, isWhole, rights.areNone, world.sharing.rights == rights {
                judgeDenial(exchange, answer)
            }
        }
        return answer
    }

    private func note(
        _ exchange: Exchange, _ answer: TransportResponse, inZone zone: String, hasCommitted: Bool
    ) {
        guard hasCommitted else {
            if let key = exchange.push?.idempotencyKey, world.pushes.hasCommitted(key) {
                world.situations.note("a repeated push got the answer that was kept")
            }
            return
        }
        world.attempt {
            guard let request = exchange.push else { return }
            let response = try RecordsResponse(wireJSON: answer.body)
            if exchange.device.life != exchange.life { world.situations.note("a push arrived whose sender had died") }
            if let key = request.idempotencyKey,
                let fault = world.pushes.answered(
                    key, hasCommitted: hasCommitted, tokenless: request.syncToken == nil ? clock.milliseconds() : nil)
            {
                world.fail(fault)
            }
            let done = Set(
                response.records.compactMap { if case .record(let record) = $0 { record.recordName } else { nil } })
            if request.atomicZones { world.situations.note("an object moved to another zone with one request") }
            for operation in request.operations where done.contains(operation.record.recordName) {
                take(operation, of: exchange, inZone: operation.record.zoneID?.zoneName ?? zone)
            }
        }
    }

    private func take(_ operation: RecordOperation, of exchange: Exchange, inZone zone: String) {
        if operation.record.recordName == SyncParts.keysRecordName {
            return world.situations.note("the keys of a shared zone were sealed")
        }
        let key = RecordName.key(of: operation.record.recordName, zone: zone).key
        if zone == Self.publicZone { world.notePublic(operation, key, by: exchange.device) }
        let place = zone == Self.zone ? nil : zone
        var fields: [String: String?] = [:]
        for (name, value) in world.opened(operation, key, from: exchange.device) {
            switch value {
            case .string(let text)?: fields[name] = .some(text)
            case .int64(let number)?: fields[name] = .some(String(number))
            case nil: fields.updateValue(nil, forKey: name)
            default: continue
            }
        }
        let isNew = operation.operationType.replacesFields
        // A public object is in no other zone, even if its deletion is the first event here.
        if isNew || zone == Self.publicZone {
            world.ledger.note(key, inZone: place)
        } else if world.ledger.zone(of: key) != place {
            // The object is now in another zone.
            if operation.operationType.isDeletion {
                _ = world.ledger.livesOn(key, without: place)
            } else {
                world.ledger.tookBeside(key, fields, inZone: place)
            }
            return
        }
        if operation.operationType.isDeletion {
            if world.ledger.livesOn(key, without: place) { return }
            if !world.ledger.hasUserDeleted(key) { world.situations.note("an orphan was deleted") }
            return world.ledger.removed(key, at: world.scheduler.steps)
        }
        let fault = world.ledger.took(
            key, fields, isNew: isNew, by: exchange.device.disk.name, sent: exchange.begun)
        if let fault { world.fail(fault) }
    }

    /// Sends a record with a repeated JSON key. Two JSON readers would read different values, so the server must refuse
    /// the record.
    func sendDoubledKeys() {
        world.situations.note("a hostile request came")
        administer { [self] server in
            let before = try await position()
            let name =
                "0190AAAA-0000-7000-8000-00000000\(String(world.scheduler.pick(0x1000...0xFFFF), radix: 16).uppercased())"
            let body = """
                {"zoneID":{"zoneName":"\(Self.zone)"},"operations":[{"operationType":"create","record":{"recordName":"\(name)",\
                "recordType":"Tag","fields":{"name":{"value":"mine"},"name":{"value":"another's"}}}}]}
                """
            try await post(Array(body.utf8), to: "records/modify", of: server)
            if try await position() != before { world.fail("the server has taken a record with a doubled key") }
        }
    }

    // MARK: Power cuts

    /// The state that must be known before a push, so that the power can be cut after it.
    private struct ComingPowerCut {
        /// Restores the storage as it was before; nil if other requests are at work as well.
        let wayBack: (() throws -> Void)?
        let begun: Int
    }

    private func comingPowerCut(_ server: any WorldServer) throws -> ComingPowerCut? {
        guard world.provokes(.powerCuts, 30) else { return nil }
        return ComingPowerCut(wayBack: atWork == 1 ? try server.wayBack() : nil, begun: begun)
    }

    /// Cuts the server's power before it answers a push. The effects of the push may survive or not, unless an answer
    /// given meanwhile shows them. Everything answered earlier survives.
    ///
    /// - Returns: Whether the push is lost.
    private func cutPower(_ cut: ComingPowerCut) throws -> Bool {
        guard !isDown else { return false }
        world.trace.note("the server's power is cut")
        stop()
        world.scheduler.after(world.scheduler.pick(1...5_000)) { [world] in world.server.start() }
        guard let wayBack = cut.wayBack, begun == cut.begun, world.scheduler.chance(500) else {
            world.situations.note("the server's power was cut: a push was kept")
            return false
        }
        try wayBack()
        knownPosition = nil
        world.situations.note("the server's power was cut: a push was lost")
        return true
    }

    @discardableResult
    func post(
        _ body: [UInt8], to endpoint: String, of server: any WorldServer, database: String = "private",
        by user: String? = nil
    ) async throws -> TransportResponse {
        let url = "http://127.0.0.1:8080/database/1/\(Self.container)/development/\(database)/\(endpoint)"
        let headers = user.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
        return try await server.answer(
            TransportRequest(
                method: "POST", url: url, headers: headers, body: body, timeout: 15_000, maximumResponse: 1 << 20),
            channel: channel)
    }

    /// Sends a query without side effects, even while the server is down.
    func ask(
        _ body: [UInt8], for endpoint: String, database: String, by user: String?
    ) async throws -> TransportResponse {
        try await post(body, to: endpoint, of: servers[0], database: database, by: user)
    }

    /// Deletes the zone, as another program of the user might.
    func deleteZone() {
        world.trace.note("the zone is deleted")
        world.situations.note("the zone was deleted")
        if world.plan.plain != nil { world.hasUntoldChange = true }
        if world.devices.contains(where: { $0.process?.isPushing == true }) {
            world.situations.note("the zone was deleted during a push")
        }
        administer { [self] server in
            let zone = ZoneID(zoneName: Self.zone)
            let body = try ZonesModifyRequest(operations: [.init(.delete, zone)]).wireJSON()
            try await post(body, to: "zones/modify", of: server)
            world.ledger.lostZone()
        }
    }

    /// Deletes a further zone, as another program of the user might.
    func deleteFurtherZone(_ name: String) {
        world.trace.note("the zone \(name) is deleted")
        if world.plan.plain != nil { world.hasUntoldChange = true }
        let zone = ZoneID(zoneName: "\(Self.zone).\(name)")
        administer { [self] server in
            guard try await server.position(ofZone: zone.zoneName, container: Self.container) != nil else { return }
            world.situations.note("a further zone was deleted")
            let body = try ZonesModifyRequest(operations: [.init(.delete, zone)]).wireJSON()
            try await post(body, to: "zones/modify", of: server)
            world.ledger.lostZone(zone.zoneName, at: world.scheduler.steps)
        }
    }

    /// The present position of the zone's feed.
    func position() async throws -> FeedPosition? {
        if let knownPosition { return knownPosition }
        let position = try await servers[0].position(ofZone: Self.zone, container: Self.container)
        if underWay == 0 { knownPosition = .some(position) }
        return position
    }

    private func position(ofZone name: String) async throws -> FeedPosition? {
        if name == Self.zone { return try await position() }
        return try await servers[0].position(ofZone: name, container: Self.container)
    }

    /// The feed positions of the existing further zones, by their names on devices.
    func furtherPositions() async throws -> [String: FeedPosition] {
        var positions: [String: FeedPosition] = [:]
        for name in WorldPlan.furtherZones + (world.plan.gallery.map { [$0] } ?? []) {
            positions[name] = try await position(ofZone: "\(Self.zone).\(name)")
        }
        return positions
    }

    /// The feed position of the public database; nil before it had any records.
    func publicPosition() async throws -> FeedPosition? { try await position(ofZone: Self.publicZone) }

    private func mayMoveZone<Answer>(
        _ mayMove: Bool = true, _ work: () async throws -> Answer
    ) async rethrows -> Answer {
        guard mayMove else { return try await work() }
        knownPosition = nil
        underWay += 1
        defer { underWay -= 1 }
        return try await work()
    }

    func position(of token: String, on device: SimulatedDevice) -> FeedPosition? {
        if let known = positions[token] { return known }
        let position = servers[0].position(
            of: token, zone: device.database == .public ? Self.publicZone : Self.zone, container: Self.container,
            guest: device.guest)
        positions[token] = .some(position)
        return position
    }

    /// The feed position of a further zone's token.
    func position(of token: String, ofFurtherZone name: String, guest: String?) -> FeedPosition? {
        servers[0].position(of: token, zone: "\(Self.zone).\(name)", container: Self.container, guest: guest)
    }

    /// Does something on the server without a device's request.
    func administer(_ work: @escaping (any WorldServer) async throws -> Void) {
        begun += 1
        let server = any, world = world
        world.scheduler.task { [self] in
            await world.attempt { try await mayMoveZone { try await work(server) } }
            tellOthers(than: server)
        }
    }

    /// The parent of each object that has one; nil if relationships say the same.
    func parents() -> [ObjectKey: ObjectKey]? {
        func key(_ name: String) -> ObjectKey { RecordName.key(of: name, zone: Self.zone).key }
        return servers[0].parents(ofZone: Self.zone)?.reduce(into: [:]) { $0[key($1.key)] = key($1.value) }
    }

    /// Whether it has stored a text, plain or within base64.
    func holds(_ search: SecretSearch) throws -> Bool { try servers[0].holds(search) }

    /// Leaves its storage to the next world.
    func putAway() throws { if let ours = servers[0] as? InlineZoneServer { try materials.take(ours) } }
}
