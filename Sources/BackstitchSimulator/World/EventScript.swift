import Backstitch
import BackstitchServer
import BackstitchSync
import BackstitchTestKit

/// The actions of users and the faults of the world, one after another.
final class EventScript {
    private unowned let world: World
    private var scheduler: Scheduler { world.scheduler }
    private var plan: WorldPlan { world.plan }
    private var left: Int
    private let usual: [any Workload]
    private let ofPublicData: [any Workload]
    /// All workloads of the world.
    var workloads: [any Workload] { usual + ofPublicData }

    init(_ world: World) {
        self.world = world
        left = world.plan.allActions
        usual = world.plan.workloads.sorted { $0.rawValue < $1.rawValue }.map { $0.make(world) }
        ofPublicData = world.plan.publicUsers.isEmpty ? [] : [NoticeWorkload(world)]
    }

    /// The workloads of one device.
    func workloads(of device: SimulatedDevice) -> [any Workload] {
        device.database == .public ? ofPublicData : usual
    }

    var isDone: Bool { left <= 0 }

    func begin() {
        next()
        keepHouse()
    }

    /// Has the server clean up once a minute.
    private func keepHouse() {
        scheduler.after(60_000) { [self] in
            guard !world.isHealed else { return }
            if world.server.isRunning {
                world.server.cleanUp()
                world.server.lookAround()
            }
            keepHouse()
        }
    }

    private func next() {
        scheduler.after(scheduler.pick(0...plan.longestWait)) { [self] in
            guard !isDone, !world.isHealed else { return }
            left -= 1
            world.attempt { try act() }
            next()
        }
    }

    private func act() throws {
        if scheduler.chance(300), let fault = any(plan.faults.sorted { $0.rawValue < $1.rawValue }) {
            return try strike(fault)
        }
        if scheduler.chance(20), world.server.isRunning { world.server.sendDoubledKeys() }
        if plan.guests > 0, scheduler.chance(plan.sharesObjects ? 220 : 120) { return world.changeSharing() }
        if plan.hasSecrets, scheduler.chance(150) { return world.changeKeys() }
        if plan.changesPublicRights, scheduler.chance(60) { return world.changePublicRights() }
        guard let device = any(world.presentDevices), let workload = any(workloads(of: device)) else { return }
        if device.isAlive {
            try workload.act(on: device)
            if scheduler.chance(200) { try workload.look(at: device) }
        } else {
            try device.start()
        }
    }

    private func strike(_ fault: FaultKind) throws {
        guard let device = any(world.presentDevices) else { return }
        switch fault {
        case .weather:
            let weather = any([NetworkFaultRates.calm, .rough, .rough, .storm]) ?? .calm
            world.network.weather = weather
            world.trace.note("the weather changes: \(weather)")
        case .partitions:
            let partition = any([Partition.none, .none, .both, .towardsServer, .towardsDevice]) ?? .none
            world.network.set(partition, for: device)
            world.trace.note("\(device.name)'s line: \(partition)")
            world.situations.note("partition: \(partition)")
        case .crashes: try crash(device)
        case .restarts:
            if !world.server.isRunning {
                world.server.start()
            } else if plan.servers > 1, scheduler.chance(700) {
                world.server.restartOne()
            } else {
                world.server.stop()
                world.situations.note("the server was killed")
                if scheduler.chance(700) {
                    scheduler.after(scheduler.pick(1...5_000)) { [self] in world.server.start() }
                }
            }
        case .clocks: turn(any(world.devices.map(\.clock) + [world.server.clock]))
        case .zones:
            guard world.server.isRunning else { return }
            if plan.hasZones, scheduler.chance(600), let name = any(WorldPlan.furtherZones) {
                return world.server.deleteFurtherZone(name)
            }
            world.server.deleteZone()
        case .epochs:
            guard world.server.isRunning else { return }
            world.trace.note("all change tokens become invalid")
            world.situations.note("change tokens became invalid")
            world.server.administer { try await $0.invalidateSyncTokens() }
        case .powerCuts: try world.cutPower(of: device)
        }
    }

    private func crash(_ device: SimulatedDevice) throws {
        guard device.isAlive else { return try device.start() }
        if device.disk.isShared, scheduler.chance(300) { return device.loseLead(heardAfter: scheduler.pick(0...2_000)) }
        if scheduler.chance(400) {
            world.situations.note("died between steps")
            return try device.kill("between steps")
        }
        let moment = any(Mortality.Moment.allCases) ?? .beforeCommit
        device.mortality.armed = (Int(scheduler.pick(1...8)), moment)
    }

    private func turn(_ clock: SimulatedClock?) {
        let year: Int64 = 365 * 86_400_000
        let before = clock?.milliseconds() ?? 0
        let choice = scheduler.pick(0...4)
        defer {
            let now = clock?.milliseconds() ?? 0
            let how = choice == 4 ? "stood still" : now < before ? "went back" : "jumped ahead"
            world.situations.note("\(clock === world.server.clock ? "the server's" : "a device's") clock \(how)")
        }
        switch choice {
        case 0: clock?.set(offset: 0)
        case 1: clock?.set(offset: scheduler.pick(-10 * year...10 * year))
        case 2: clock?.set(offset: scheduler.pick(-5_000...5_000))
        case 3: clock?.set(offset: scheduler.pick(-3_600_000...3_600_000))
        default: clock?.freeze()
        }
    }

    private func any<Element>(_ all: [Element]) -> Element? { all.randomElement(using: &scheduler.random) }
}
