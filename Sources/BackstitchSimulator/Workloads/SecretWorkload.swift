import Backstitch

/// Objects with encrypted attributes and a plain one: made, written, cleared and deleted.
final class SecretWorkload: Workload {
    private unowned let world: World

    init(_ world: World) { self.world = world }

    func act(on device: SimulatedDevice) throws {
        try device.edit { context, promises in
            for _ in 0..<Int(world.scheduler.pick(1...2)) { try step(context, &promises, world.uniqueText(device)) }
        }
    }

    private func step(_ context: ManagedObjectContext, _ promises: inout Promises, _ text: String) throws {
        let secrets = try context.fetch(FetchRequest<SimulatedSecret>()).filter { !$0.isDeleted }
        guard let secret = world.any(secrets), !world.scheduler.chance(250) else {
            let secret = SimulatedSecret(context: context)
            promises.set(secret, "text", SecretSearch.hidden.text + text)
            promises.set(secret, "label", SecretSearch.open.text + text)
            return promises.say("makes secret \(secret.label) \(text)")
        }
        switch world.scheduler.pick(0...9) {
        case 0...3:
            promises.set(secret, "text", SecretSearch.hidden.text + text)
            promises.say("writes \(text) into secret \(secret.label)")
        case 4, 5:
            let number = Int64(world.uniqueNumber())
            secret["number"] = number
            promises.values.removeAll { $0.0 == Ledger.Place(secret.key, "number") }
            promises.values.append((Ledger.Place(secret.key, "number"), String(number)))
            promises.say("numbers secret \(secret.label) \(number)")
        case 6, 7:
            promises.set(secret, "label", SecretSearch.open.text + text)
            promises.say("labels secret \(secret.label) \(text)")
        case 8:
            promises.set(secret, "text", nil)
            promises.say("clears secret \(secret.label)")
        default:
            promises.deletions.append(secret.key)
            promises.say("deletes secret \(secret.label)")
            context.delete(secret)
        }
    }
}
