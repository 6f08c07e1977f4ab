import Backstitch

/// Devices that are put away, often with changes that they have not sent, and taken out again after months. By then the
/// server has made room: it has forgotten what was deleted, and honours no token from before.
final class SleeperWorkload: Workload {
    private unowned let world: World
    private let churn: ChurnWorkload
    private var scheduler: Scheduler { world.scheduler }
    private var sleeper: SimulatedDevice?
    /// How many things the others do until it is taken out.
    private var left = 0

    init(_ world: World) {
        self.world = world
        churn = ChurnWorkload(world)
    }

    func act(on device: SimulatedDevice) throws {
        if let sleeper {
            left -= 1
            if left <= 0 { try wake(sleeper) }
        } else if scheduler.chance(150), world.presentDevices.count > 1 {
            return try putAway(device)
        }
        if device.isAlive { try churn.act(on: device) }
    }

    private func putAway(_ device: SimulatedDevice) throws {
        if scheduler.chance(800) { try churn.act(on: device) }
        guard device.isAlive else { return }
        try device.kill("it is put away")
        device.isAway = true
        sleeper = device
        left = Int(scheduler.pick(2...6))
    }

    private func wake(_ device: SimulatedDevice) throws {
        sleeper = nil
        // The world may have healed it meanwhile.
        guard device.isAway else { return }
        device.isAway = false
        let days = scheduler.pick(30...120)
        world.trace.note("\(days) days pass")
        world.situations.note("a device slept for months")
        world.network.letMonthsPass()
        scheduler.skip(days * 86_400_000)
        if world.server.isRunning { world.server.makeRoom() }
        if !device.isAlive { try device.start() }
        if try device.hasUnsentChanges { world.situations.note("a device woke with changes unsent") }
    }
}
