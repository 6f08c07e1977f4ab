import Backstitch

/// Devices that are switched off, often with unsent changes, and switched on again after months. Meanwhile the server
/// has forgotten deletions, and it accepts no earlier token.
final class SleeperWorkload: Workload {
    private unowned let world: World
    private let churn: ChurnWorkload
    private var scheduler: Scheduler { world.scheduler }
    private var sleeper: SimulatedDevice?
    /// The number of actions by the others until it is switched on.
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
        // The healing of the world may have switched it on meanwhile.
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
