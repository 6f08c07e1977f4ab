import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire
import Logging
import NIOCore
import NIOEmbedded

/// The zone server of a world, and what it is seen to do.
final class SimulatedServer {
    static let container = "iCloud.backstitch"
    static let zone = "Backstitch"

    private unowned let world: World
    private let materials: Materials
    private var server: InlineZoneServer
    private var isDown = false
    /// Where the zone's feed stands, as long as nobody does anything.
    private(set) var knownPosition: FeedPosition??
    /// How many requests are at work that may move it.
    private var underWay = 0
    /// What tokens stand for, which never changes.
    private var positions: [String: FeedPosition?] = [:]
    /// Counts its processes.
    private(set) var life = 1
    let clock: SimulatedClock
    let channel: any Channel = EmbeddedChannel()

    init(_ world: World, of materials: Materials, seed: UInt64) throws {
        self.world = world
        self.materials = materials
        clock = SimulatedClock(world.scheduler)
        var configuration = ZoneServerConfiguration(storage: .memory)
        configuration.clock = clock
        configuration.random = SimulatedChance(seed: seed)
        configuration.extendedLimits = world.plan.limits
        configuration.flaws = world.plan.serverFlaws
        configuration.logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
        server = try materials.server(configuration)
    }

    /// The server, unless it is down.
    var running: InlineZoneServer? { isDown ? nil : server }

    /// The server stops at once: what it was answering is lost.
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
        server = server.restarted()
        isDown = false
    }

    /// Answers a request, and takes note of what that did.
    func answer(_ exchange: Exchange, by server: InlineZoneServer) async throws -> InlineAnswer {
        let request = exchange.request
        let isPush = exchange.endpoint == "records/modify"
        let before = isPush ? try await position() : nil
        let answer = try await mayMoveZone(exchange.endpoint.hasSuffix("/modify")) {
            try await server.answer(
                request.method, request.url, headers: request.headers, body: request.body, channel: channel)
        }
        if isPush, answer.status == 200 {
            // Where others may push between the two looks, that the zone has moved says nothing of this push.
            let isAlone = !world.plan.serverFlaws.contains(.comparesBeforeLocking)
            let isRepeat = exchange.push?.idempotencyKey.map(world.pushes.hasCommitted) ?? false
            note(exchange, answer, hasCommitted: isAlone ? try await position() != before : !isRepeat)
        }
        return answer
    }

    private func note(_ exchange: Exchange, _ answer: InlineAnswer, hasCommitted: Bool) {
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
                let fault = world.pushes.answered(key, hasCommitted: hasCommitted)
            {
                world.fail(fault)
            }
            for (operation, result) in zip(request.operations, response.records) {
                guard case .record = result else { continue }
                take(operation, of: exchange)
            }
        }
    }

    private func take(_ operation: RecordOperation, of exchange: Exchange) {
        let key = RecordName.key(of: operation.record.recordName, zone: Self.zone).key
        if operation.operationType.isDeletion { return world.ledger.removed(key, at: world.scheduler.steps) }
        var fields: [String: String?] = [:]
        for (name, value) in operation.record.fields {
            switch value {
            case .string(let text)?: fields[name] = .some(text)
            case .int64(let number)?: fields[name] = .some(String(number))
            case nil: fields.updateValue(nil, forKey: name)
            default: continue
            }
        }
        let isNew = operation.operationType.replacesFields
        let fault = world.ledger.took(
            key, fields, isNew: isNew, by: exchange.device.name, sent: exchange.begun)
        if let fault { world.fail(fault) }
    }

    /// Sends a record with a key twice, which two readers of JSON take for two different things: the server must take
    /// none of them.
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
            _ = try await server.answer(
                "POST", Self.address("records/modify"), headers: [], body: Array(body.utf8), channel: channel)
            if try await position() != before { world.fail("the server has taken a record with a doubled key") }
        }
    }

    private static func address(_ endpoint: String) -> String {
        "http://127.0.0.1:8080/database/1/\(container)/development/private/\(endpoint)"
    }

    /// Deletes the zone, as another program of the user might.
    func deleteZone() {
        world.trace.note("the zone is deleted")
        world.situations.note("the zone was deleted")
        if world.devices.contains(where: { $0.process?.isPushing == true }) {
            world.situations.note("the zone was deleted during a push")
        }
        administer { [self] server in
            let zone = ZoneID(zoneName: Self.zone)
            let body = try ZonesModifyRequest(operations: [.init(.delete, zone)]).wireJSON()
            _ = try await server.answer(
                "POST", Self.address("zones/modify"), headers: [], body: body, channel: channel)
            world.ledger.lostZone()
        }
    }

    /// The server forgets what was deleted long ago, and therefore all change tokens.
    func makeRoom() {
        world.trace.note("the server forgets what was deleted")
        world.situations.note("the server forgot tombstones, and tokens with them")
        world.ledger.forgotRemovals()
        administer { try await $0.makeRoom() }
    }

    /// Where the zone's feed stands.
    func position() async throws -> FeedPosition? {
        if let knownPosition { return knownPosition }
        let position = try await server.position(ofZone: Self.zone, container: Self.container)
        if underWay == 0 { knownPosition = .some(position) }
        return position
    }

    private func mayMoveZone<Answer>(
        _ mayMove: Bool = true, _ work: () async throws -> Answer
    ) async rethrows -> Answer {
        guard mayMove else { return try await work() }
        knownPosition = nil
        underWay += 1
        defer { underWay -= 1 }
        return try await work()
    }

    func position(of token: String) -> FeedPosition? {
        if let known = positions[token] { return known }
        let position = server.position(of: token, zone: Self.zone, container: Self.container)
        positions[token] = .some(position)
        return position
    }

    /// Does something on the server behind everybody's back.
    func administer(_ work: @escaping (InlineZoneServer) async throws -> Void) {
        let server = server, world = world
        world.scheduler.task { [self] in
            await world.attempt { try await mayMoveZone { try await work(server) } }
        }
    }

    /// Leaves what there is of it to the next world.
    func putAway() throws { try materials.take(server) }
}
