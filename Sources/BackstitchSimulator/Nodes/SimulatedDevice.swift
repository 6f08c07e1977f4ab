import Backstitch
import BackstitchSQLite
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import Foundation

/// A device: a program with a container on a synced store. The world steps its sync engine.
///
/// It replaces the driver of a synced store. Each effect of the engine is an entry of the scheduler, and so is its
/// outcome. Anything may happen between the two, even the end of the process.
final class SimulatedDevice {
    let name: String
    let clock: SimulatedClock
    let mortality: Mortality
    var disk: SimulatedDisk { mortality.disk }
    unowned let world: World
    private var generator: ObjectIDGenerator
    /// So small a limit that photos exceed it. Their records wait for the uploads, and other records are sent before.
    private static let assetsPerBatch: Int64 = 300
    private let seed: UInt64
    private var random: SeededGenerator
    /// Counts the processes. Work begun by an earlier process is ignored by a later one.
    private(set) var life = 0
    private(set) var process: Process?
    /// The version of the program's model.
    var modelVersion: Int
    /// The database of its store: the private one of the zone's owner, the shared one of a guest, or the public one.
    let database: SyncDatabase
    /// The user; nil for the zone's owner.
    let user: String?
    /// The guest who takes part in the zone; nil for other devices.
    var guest: String? { database == .shared ? user : nil }
    /// The key provider of the process for encrypted attributes; nil in worlds without any.
    private(set) var keys: SimulatedKeys?
    /// Whether the device is switched off for a long time. The world does not start it.
    var isAway = false
    /// Missing objects with references to them, and the life in which a reference was seen.
    var awaited: [ObjectKey: Int] = [:]

    /// The part of a device that is gone when the process ends.
    final class Process {
        let coordinator: PersistentStoreCoordinator
        let store: SimulatedStore
        let parts: SyncParts
        var engine: SyncEngine
        var timers: [SyncEngine.Timer: Int] = [:]
        /// The number of effects whose outcome is awaited, except the long poll.
        var running = 0
        /// The number of pushes that were sent and are not settled.
        var pushes = 0
        var isPushing: Bool { pushes > 0 }
        /// Whether a page was applied and more pages follow.
        var isBetweenPages = false
        /// Whether a full fetch is under way.
        var isFetchingAll = false
        /// The world's time at the start of its last pull.
        var pullBegan: Int64 = 0
        /// Its position at the last comparison with the others.
        var lastCompared: FeedPosition?
        /// The purpose of the present step on the store.
        var step = "an app's save"
        /// The last batch that it sent; nil once its outcome is written.
        var sent: PushBatch?
        /// The batch whose outcome it is writing.
        var settling: PushBatch?
        /// Whether another process on its disk syncs.
        var isStandby = false
        /// The world's time since which it has been idle with unsent changes; nil otherwise.
        var idleSince: Int64?
        /// The actions that wait until the process continues; nil when it is not suspended.
        var held: [() -> Void]?
        /// Whether the process lives. It may have died within a step that is still to unwind.
        var isAlive: Bool { store.isAlive }
        /// The standing read last, and the disk's number of commits then.
        var standing: (commits: Int, standing: Standing)?

        init(_ coordinator: PersistentStoreCoordinator, _ store: SimulatedStore, _ parts: SyncParts) {
            self.coordinator = coordinator
            self.store = store
            self.parts = parts
            engine = parts.engine
        }
    }

    init(
        _ name: String, in world: World, seed: UInt64, disk: SimulatedDisk, modelVersion: Int,
        database: SyncDatabase = .private, user: String? = nil
    ) {
        self.name = name
        (self.database, self.user) = (database, user)
        self.world = world
        self.modelVersion = modelVersion
        self.seed = seed
        clock = SimulatedClock(world.scheduler)
        mortality = Mortality(disk)
        random = SeededGenerator(seed: seed)
        generator = ObjectIDGenerator(clock: clock, random: SeededGenerator(seed: seed ^ 0x5151))
        mortality.onDeath = { [unowned self] moment in died(moment) }
    }

    var isAlive: Bool { process != nil }
    /// The process; nil if it has died within a step that is still to unwind.
    var living: Process? { mortality.isAlive ? process : nil }

    // MARK: Life

    /// Starts a process of the device.
    func start() throws {
        life += 1
        disk.modelVersion = modelVersion
        keys = world.hasKeys(self) ? world.keys(of: self) : nil
        let coordinator = try SimulatedStore.$mounted.withValue(Confined(mortality)) {
            try PersistentStoreCoordinator(
                model: SimulationModel.version(modelVersion),
                store: .init(type: StoreType(rawValue: SimulatedStore.typeName), options: options),
                clock: clock, generator: generator)
        }
        guard let store = coordinator.store as? SimulatedStore else { return }
        let isLeader = disk.takeLead(mortality)
        let parts = try SyncParts(
            store.configuration, backing: store, transport: SimulatedTransport(world.network, of: self), clock: clock,
            workers: .inline, executor: world.scheduler.executor, engine: world.plan.engine, isStandby: !isLeader,
            lead: disk.isShared ? claim(mortality) : nil, resolver: world.plan.resolver,
            assetsPerBatch: seed % 2 == 0 ? Self.assetsPerBatch : nil)
        let process = Process(coordinator, store, parts)
        self.process = process
        process.isFetchingAll = try standing()?.isFetchingAll ?? false
        if process.isFetchingAll { world.situations.note("a restart came while everything was read again") }
        world.trace.note("\(name) starts, life \(life)")
        tell(.trigger(.storeAdded, ticket: nil))
        if !isLeader { standBy(process) }
    }

    /// Ends the process at once, as `kill -9` does.
    func kill(_ how: String) throws {
        guard let process else { return }
        world.trace.note("\(name) dies: \(how)")
        if process.isPushing { world.situations.note("died with a push under way") }
        if process.isBetweenPages { world.situations.note("died between pages") }
        if process.sent != nil { world.ledger.mayLackAnswers.insert(disk.name) }
        for entry in process.timers.values { world.scheduler.cancel(entry) }
        world.noteZoneKeys(of: self)
        self.process = nil
        mortality.release()
        world.network.cut(self)
    }

    /// Ends the process with its machine. The next process does not know the keys of objects made before.
    func losePower() throws {
        if isAlive { try kill("the power is cut") }
        generator = ObjectIDGenerator(
            clock: clock, random: SeededGenerator(seed: seed ^ 0x5151 &+ UInt64(life) &* 0xC17))
    }

    /// Handles the death of the process within a step, which is still to unwind.
    private func died(_ moment: Mortality.Moment) {
        let step = process?.step ?? "nothing"
        world.situations.note("died \(moment.rawValue) of \(step)")
        // The changes that it gave up in that commit were not reported.
        if moment == .afterCommit { world.ledger.forgive(disk.name) }
        world.provoke(afterEndOf: self, sending: process?.settling, by: .crashes)
        let life = life
        world.scheduler.after(0) { [unowned self] in
            guard self.life == life else { return }
            world.attempt { try kill("\(moment.rawValue) of \(step)") }
        }
    }

    private var options: [StoreOption: any Sendable] {
        var options = world.plan.options
        if let keys { options[.syncEncryptionKeys] = keys }
        guard database != .public else {
            options[.syncWebAuthToken] = user ?? ""
            options[.syncDatabase] = "public"
            // A plain server does not name the rights. This device tries, and the server may deny it.
            if world.plan.plain != nil, world.plan.everybodyWrites || world.plan.changesPublicRights {
                options[.syncPublicRights] = [SimulationModel.notice: CreatorRights.Rights(mayChangeOthers: true)]
            }
            return options
        }
        if world.plan.sharesKeys { options[.syncShareIdentity] = world.identity(of: guest ?? "owner") }
        guard let guest else { return options }
        return options.merging([.syncWebAuthToken: guest, .syncDatabase: "shared"]) { $1 }
    }

    // MARK: The engine

    /// Tells the engine an event, and begins the effects that it asks for.
    func tell(_ event: SyncEngine.Event) {
        guard let process = living else { return }
        let life = life
        guard process.held == nil else { return hold(process) { if $0.life == life { $0.tell(event) } } }
        let effects = process.engine.step(
            event, at: clock.uptime(), date: clock.milliseconds(), random: random.next())
        for effect in effects { begin(effect, process) }
    }

    private func begin(_ effect: SyncEngine.Effect, _ process: Process) {
        switch effect {
        case .report(let report): world.heard(report, from: self)
        case .setTimer(let timer, let time): set(timer, at: time, process)
        case .cancelTimer(let timer):
            if let entry = process.timers.removeValue(forKey: timer) { world.scheduler.cancel(entry) }
        case .stopUploads, .forgetUploads: process.parts.endUploads(effect)
        case .refuse, .cancelAll: break
        default:
            let isBeside = effect.isBesideCycles
            if !isBeside { process.running += 1 }
            let life = life
            world.scheduler.after(world.scheduler.pick(0...world.plan.longestPause)) { [unowned self] in
                run(effect, life)
            }
        }
    }

    private func run(_ effect: SyncEngine.Effect, _ life: Int) {
        guard let process = living, self.life == life else { return }
        guard process.held == nil, !world.provoke(standstillBefore: effect.inside, on: self) else {
            return hold(process) { $0.run(effect, life) }
        }
        world.trace.note("\(name) \(effect.label)")
        process.step = effect.stepName
        process.settling = if case .settleBatch(let batch, _) = effect.inside { batch } else { nil }
        world.provoke(atBeginningOf: effect.inside, on: self)
        if case .fetchPage(.stored) = effect { process.pullBegan = world.scheduler.now }
        if case .sendBatch(let batch) = effect.inside {
            process.pushes += 1
            process.sent = batch
            if world.devices.contains(where: { $0 !== self && $0.process?.isPushing == true }) {
                world.situations.note("two devices pushed at once")
            }
        }
        let parts = process.parts, device = Confined(self), effect = effect
        world.scheduler.task {
            let event = await parts.perform(effect)
            device.value.done(effect, event, life)
        }
    }

    private func hold(_ process: Process, _ action: @escaping (SimulatedDevice) -> Void) {
        process.held?.append { [unowned self] in action(self) }
    }

    private func done(_ effect: SyncEngine.Effect, _ event: SyncEngine.Event?, _ life: Int) {
        guard let process = living, self.life == life, let event else { return }
        if case .batchSettled = event { process.pushes = 0 }
        if case .batchSent(.failure) = event { process.pushes = 0 }
        world.outcome(event, of: effect, on: self)
        world.scheduler.after(world.scheduler.pick(0...world.plan.longestPause)) { [unowned self] in
            guard self.life == life else { return }
            if !effect.isBesideCycles { process.running -= 1 }
            world.trace.note("\(name) \(event.label)")
            tell(event)
        }
    }

    private func set(_ timer: SyncEngine.Timer, at time: Int64, _ process: Process) {
        if let entry = process.timers.removeValue(forKey: timer) { world.scheduler.cancel(entry) }
        let life = life
        process.timers[timer] = world.scheduler.after(clock.wait(untilUptime: time)) { [unowned self] in
            guard self.life == life else { return }
            process.timers[timer] = nil
            tell(.timerFired(timer))
        }
    }
}

extension SyncEngine.Effect {
    var isBesideCycles: Bool {
        switch self {
        case .registerPushListener, .listen, .fetchAssets, .noteFirstSync: true
        default: false
        }
    }
}
