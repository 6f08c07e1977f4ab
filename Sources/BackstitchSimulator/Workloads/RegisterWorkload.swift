import Backstitch

/// Registers whose values only grow: each write is larger than all values on its device. If the larger value wins
/// conflicts, no device may see one shrink, and no promised write is lost.
final class RegisterWorkload: Workload {
    private unowned let world: World
    private var checker = RegisterChecker()

    init(_ world: World) { self.world = world }

    func act(on device: SimulatedDevice) throws {
        try look(at: device)
        var written: [(ObjectKey, Int64)] = []
        let outcome = try device.edit { context, promises in
            var all = try context.fetch(FetchRequest<SimulatedRegister>())
            if all.count < 2, device.name == world.devices[0].name { all = [SimulatedRegister(context: context)] }
            for register in all.shuffled(using: &world.scheduler.random).prefix(Int(world.scheduler.pick(1...2))) {
                // All values have the same number of digits, so that their texts have the same order.
                let value = 1_000_000 + Int64(world.uniqueNumber())
                register["value"] = value
                promises.values.append((Ledger.Place(register.key, "value"), String(value)))
                promises.say("writes \(value) to register \(register.label)")
                written.append((register.key, value))
            }
        }
        for (key, value) in written {
            checker.wrote(device.name, key, value, isKnown: outcome == .saved, at: device.disk.commits)
        }
    }

    func look(at device: SimulatedDevice) throws {
        guard world.plan.policy == .largest, let values = try values(device) else { return }
        for fault in checker.read(device.name, values, at: device.disk.commits) { world.fail(fault) }
    }

    func lost(_ cut: PowerCut) {
        for device in cut.devices {
            checker.cut(device, after: cut.kept) { world.ledger.hasTaken(Ledger.Place($0, "value"), String($1)) }
        }
    }

    func judge(_ device: SimulatedDevice) throws {
        guard world.plan.policy == .largest, let values = try values(device) else { return }
        for fault in checker.end(values) { world.fail("\(device.name): \(fault)") }
    }

    private func values(_ device: SimulatedDevice) throws -> [ObjectKey: Int64]? {
        try device.read { context in
            let all = try context.fetch(FetchRequest<SimulatedRegister>())
            return Dictionary(
                uniqueKeysWithValues: try all.map { register in
                    guard case .int(let value) = try register.value(forKey: "value") else { return (register.key, 0) }
                    return (register.key, value)
                })
        }
    }
}
