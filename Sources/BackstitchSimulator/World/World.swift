import Backstitch
import BackstitchServer
import BackstitchSync
import BackstitchTestKit
import Foundation

/// A server, devices and a network, on one thread and one clock. All choices come from a seed.
package final class World {
    /// The plan made from the seed.
    package let plan: WorldPlan
    /// The events so far.
    package let trace: Trace
    /// The situations that occurred.
    package internal(set) var situations = Situations()
    let scheduler: Scheduler
    var devices: [SimulatedDevice] = []
    private var madeNetwork: SimulatedNetwork?
    private var madeServer: SimulatedServer?
    private(set) var violations: [String] = []
    /// Whether faults and users have stopped.
    private(set) var isHealed = false
    /// The time since which all devices are idle although the world is not at rest; nil otherwise.
    var idleSince: Int64?
    /// Whether a change occurred without notifications to all devices. Either a push arrived after its sender stopped
    /// waiting, or a plain server deleted a zone together with its subscriptions.
    var hasUntoldChange = false
    var ledger: Ledger
    var pushes = PushChecker()
    var replicas = ReplicaChecker()
    var sharing = Sharing()
    var secrets = Secrets()
    var publicData = PublicData()
    private var numbers = 0
    private(set) var script: EventScript?
    private let folder: URL?
    private let materials: Materials

    var network: SimulatedNetwork {
        if let madeNetwork { return madeNetwork }
        let network = SimulatedNetwork(self)
        madeNetwork = network
        return network
    }

    var server: SimulatedServer {
        guard let madeServer else { preconditionFailure("a world begins with its server") }
        return madeServer
    }

    private init(_ plan: WorldPlan, of materials: Materials, keepsTrace: Bool, tell: ((String) -> Void)?) {
        self.plan = plan
        self.materials = materials
        ledger = Ledger(isPlain: plan.plain != nil)
        scheduler = Scheduler(seed: plan.seed)
        trace = Trace(scheduler, isKept: keepsTrace || tell != nil, tell: tell)
        // Only a store in a file can be opened with another version of the model.
        folder =
            plan.workloads.contains(.versions)
            ? FileManager.default.temporaryDirectory.appendingPathComponent(
                "backstitch-world-\(ObjectIDGenerator().next().uuidString)") : nil
    }

    /// Runs a world to its end, on the caller's thread, and reports its violations.
    ///
    /// - Parameters:
    ///   - materials: The databases left by earlier worlds. This world leaves its own there.
    ///   - keepsTrace: Whether the report has the trace.
    ///   - tell: Gets the lines of the trace at once, in place of the report.
    package static func run(
        _ plan: WorldPlan, of materials: Materials = Materials(), keepsTrace: Bool = false,
        tell: ((String) -> Void)? = nil
    ) -> WorldReport {
        StoreRegistry.register(SimulatedStore.self)
        let world = World(plan, of: materials, keepsTrace: keepsTrace, tell: tell)
        world.attempt { try world.live() }
        world.attempt { try world.end() }
        if world.scheduler.executor.hasLeaked { world.fail("work has left the world's thread") }
        return WorldReport(
            plan: plan, violations: world.violations, digest: world.trace.digest, trace: world.trace.lines,
            situations: world.situations, steps: world.scheduler.steps)
    }

    // MARK: Life

    private func live() throws {
        madeServer = try SimulatedServer(self, of: materials, seed: plan.seed ^ 0x7777)
        for number in 0..<plan.devices {
            let modelVersion = plan.modelVersion(ofDevice: number)
            let folder = modelVersion == 1 ? folder?.appendingPathComponent("\(number)") : nil
            let device = SimulatedDevice(
                "device \(number)", in: self, seed: plan.seed &+ UInt64(number) &* 0x9E37,
                disk: disk(number, folder), modelVersion: modelVersion)
            device.disk.isShared = plan.sharesStore && number == 0
            devices.append(device)
            try device.start()
        }
        if plan.sharesStore { try startSecondProcess(beside: devices[0]) }
        try startGuests()
        try startPublicDevices()
        let script = EventScript(self)
        self.script = script
        script.begin()
        run(for: 3_600_000) { script.isDone }
        if !violations.isEmpty { return }
        try heal()
        let limit = Self.longestRecovery
        let start = scheduler.now
        run(for: limit) { [self] in isSettled }
        guard violations.isEmpty else { return }
        guard isQuiet else { return fail("after \(limit / 1_000) s of calm: \(unrest)") }
        situations.note(scheduler.now - start < 60_000 ? "calm within a minute" : "calm took longer than a minute")
        try judgeLeavers()
        try compare()
        for device in devices { for workload in script.workloads(of: device) { try workload.judge(device) } }
        try judgeLedger()
        try judgeSecrets()
        try judgePublic()
    }

    func disk(_ number: Int, _ folder: URL?) -> SimulatedDisk {
        SimulatedDisk(
            "device \(number)", folder: folder, materials,
            unsynced: plan.losesCommits
                ? UnsyncedStates(seed: plan.seed &+ UInt64(number) &* 0xD15C, materials) : nil)
    }

    /// The disk of a device that starts at the end.
    func newcomersDisk(_ name: String) -> SimulatedDisk { SimulatedDisk(name, folder: nil, materials) }

    /// Shares the zone with guests, and starts a device for each.
    private func startGuests() throws {
        guard plan.guests > 0 else { return }
        let names = (0..<plan.guests).map { "guest\($0)" }
        if plan.sharesObjects { shareShelf(with: names) }
        if !plan.sharesObjects || plan.gallery != nil { shareZone(with: names) }
        for (number, name) in names.enumerated() {
            let device = SimulatedDevice(
                name, in: self, seed: plan.seed &+ 0x60E5 &+ UInt64(number), disk: disk(plan.devices + number, nil),
                modelVersion: plan.modelVersion(ofDevice: 0), database: .shared, user: name)
            devices.append(device)
            // Guests hear nothing of other zones than the shared one, either.
            if plan.sharesObjects || plan.hasZones { ledger.guestsOfParts.insert(device.disk.name) }
            try device.start()
        }
    }

    /// Lets another process open a device's store for the life of the world. The disk must be a shared one.
    func startSecondProcess(beside first: SimulatedDevice) throws {
        let second = SimulatedDevice(
            "\(first.name)'", in: self, seed: plan.seedOfSecondProcess(isPublic: first.database == .public),
            disk: first.disk, modelVersion: first.modelVersion, database: first.database, user: first.user)
        devices.append(second)
        try second.start()
    }

    /// Milliseconds within which all changes must reach all devices after the last fault. It is three times the longest
    /// wait between looks at the server, plus three times the wait between tries.
    static let longestRecovery: Int64 = 3 * 600_000 + 3 * 30_000

    /// The limit of steps. A usual world has some thousand.
    private static let mostSteps = 60_000

    private func heal() throws {
        trace.note("everything heals")
        isHealed = true
        network.healAll()
        server.start()
        server.clock.set(offset: 0)
        giveAllKeys()
        for device in devices {
            device.isAway = false
            device.clock.set(offset: 0)
            device.mortality.armed = nil
            // It died within a step that has not unwound yet.
            if device.isAlive, !device.mortality.isAlive { try device.kill("as everything heals") }
            if !device.isAlive { try device.start() }
        }
    }

    /// Runs the world until `condition` holds, or for this many milliseconds.
    func run(for milliseconds: Int64, until condition: () -> Bool) {
        let limit = scheduler.now + milliseconds
        var nextLook = scheduler.now
        while scheduler.now < limit, violations.isEmpty {
            if scheduler.now >= nextLook {
                if condition() { return }
                nextLook = scheduler.now + 2_000
            }
            guard scheduler.step() else { return }
            if scheduler.steps > Self.mostSteps {
                return fail("there is no end after \(Self.mostSteps) steps: \(unrest)")
            }
        }
    }

    private func end() throws {
        // From now on nothing is started.
        isHealed = true
        for device in devices {
            if device.isAlive { try device.kill("the world ends") }
        }
        madeServer?.stop()
        var steps = 0
        while scheduler.step(), steps < 100_000 { steps += 1 }
        for device in devices { try device.disk.destroy() }
        try madeServer?.putAway()
        if let folder, FileManager.default.fileExists(atPath: folder.path) {
            try FileManager.default.removeItem(at: folder)
        }
    }

    // MARK: Looking

    /// Whether the world is at rest. Work under way shows without a look into the stores.
    var isQuiet: Bool {
        guard devices.allSatisfy({ $0.process?.running == 0 }) else { return false }
        let head = head, further = furtherHeads
        return devices.allSatisfy { unrest(of: $0, head, further).isEmpty }
    }

    /// The position of the server's feed.
    var head: FeedPosition? {
        if let known = server.knownPosition { return known }
        let found = Confined(Box<FeedPosition?>(nil)), world = Confined(self)
        scheduler.task {
            await world.value.attempt { found.value.value = try await world.value.server.position() }
        }
        scheduler.executor.drain()
        return found.value.value
    }

    /// The feed positions of the further zones.
    private var furtherHeads: [String: FeedPosition] {
        guard plan.hasZones else { return [:] }
        let found = Confined(Box<[String: FeedPosition]>([:])), world = Confined(self)
        scheduler.task {
            await world.value.attempt { found.value.value = try await world.value.server.furtherPositions() }
        }
        scheduler.executor.drain()
        return found.value.value
    }

    /// The reasons against rest; empty when the world is at rest.
    var unrest: String {
        let head = head, further = furtherHeads
        return devices.flatMap { unrest(of: $0, head, further) }.joined(separator: "; ")
    }

    private func unrest(
        of device: SimulatedDevice, _ head: FeedPosition?, _ further: [String: FeedPosition]
    ) -> [String] {
        guard let process = device.process else { return ["\(device.name) is dead"] }
        var reasons: [String] = []
        attempt {
            guard let standing = try device.standing() else { return }
            if standing.assets > 0 { reasons.append("\(device.name) lacks \(standing.assets) assets") }
            if process.running > 0 { reasons.append("\(device.name) has \(process.running) steps under way") }
            if standing.waiting > 0 { reasons.append("\(device.name) has \(standing.waiting) unsent changes") }
            if standing.moves > 0 { reasons.append("\(device.name) takes \(standing.moves) objects to other zones") }
            if standing.blocked > 0 { reasons.append("\(device.name) has \(standing.blocked) changes in quarantine") }
            reasons += unrestOfKeys(device, standing)
            // The server is asked only if all else is at rest.
            if let guest = device.guest, reasons.isEmpty { reasons += unrest(ofGuest: device, guest, standing) }
            guard device.database != .public else { return reasons += try unrest(ofPublic: device, process, standing) }
            if device.guest == nil || standing.hasZone && !plan.sharesObjects,
                standing.token.flatMap { server.position(of: $0, on: device) } != head
            {
                reasons.append("\(device.name) is not up to date")
            }
            for name in Set(device.guest == nil ? further.keys.map(\.self) : []).union(standing.further.keys).sorted() {
                let token = standing.further[name] ?? nil
                let position = token.flatMap {
                    server.position(of: $0, ofFurtherZone: name, guest: device.guest)
                }
                if position != further[name] {
                    reasons.append(
                        "\(device.name) is not up to date in \(name): \(token ?? "none"), \(further[name].map { "\($0)" } ?? "gone")"
                    )
                }
            }
        }
        return reasons
    }

    /// Compares the devices with one version of the model. They must show the same, and so must a newcomer.
    private func compare() throws {
        try startPublicNewcomer()
        let newcomer = SimulatedDevice(
            "newcomer", in: self, seed: plan.seed ^ 0x3333, disk: newcomersDisk("newcomer"),
            modelVersion: devices.filter { $0.database != .public }.map(\.modelVersion).max() ?? 1)
        devices.append(newcomer)
        try newcomer.start()
        run(for: Self.longestRecovery) { [self] in isSettled }
        guard violations.isEmpty else { return }
        guard isQuiet else { return fail("a new device does not come to rest: \(unrest)") }
        var images: [Int: (String, StoreImage)] = [:]
        for device in devices.reversed() {
            guard let process = device.process else { continue }
            if let guest = device.guest, plan.sharesObjects || !sharing.joined.contains(guest) { continue }
            if device.database == .public { continue }
            if device.guest != nil, plan.hasZones {
                try compareShared(device, process, with: newcomer)
                continue
            }
            let image = try StoreImage(process.coordinator)
            guard let (name, first) = images[device.modelVersion] else {
                images[device.modelVersion] = (device.name, image)
                continue
            }
            if let difference = first.difference(from: image) {
                fail("\(name) and \(device.name) differ: \(difference)")
            }
        }
    }

    /// Compares a guest with the owner in the one shared zone.
    private func compareShared(
        _ guest: SimulatedDevice, _ process: SimulatedDevice.Process, with owner: SimulatedDevice
    ) throws {
        guard let whole = owner.process?.coordinator else { return }
        let image = try StoreImage(process.coordinator, of: plan.entities)
        if let difference = try StoreImage(whole, of: plan.entities).difference(from: image) {
            fail("\(owner.name) and \(guest.name) differ: \(difference)")
        }
    }

    private func judgeLedger() throws {
        try judgeParts()
        guard let coordinator = devices.last?.process?.coordinator else { return }
        let values = try StoreImage.values(coordinator).merging(publicValues()) { $1 }
        for fault in ledger.broken(by: values) { fail(fault) }
    }

    // MARK: Telling

    /// The devices that are not switched off.
    var presentDevices: [SimulatedDevice] { devices.filter { !$0.isAway } }

    /// Notes a violation in the trace and the report.
    func fail(_ what: String) {
        trace.note("VIOLATION: \(what)")
        violations.append(what)
    }

    func attempt(_ work: () throws -> Void) {
        do { try work() } catch { fail("threw \(error)") }
    }

    func attempt(_ work: () async throws -> Void) async {
        do { try await work() } catch { fail("threw \(error)") }
    }

    /// A number that is used only once.
    func uniqueNumber() -> Int {
        numbers += 1
        return numbers
    }
}
