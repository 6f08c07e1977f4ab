import Backstitch

/// Transfers of double entry, made and deleted as a whole. A device must never see half of one.
final class BankWorkload: Workload {
    private unowned let world: World

    init(_ world: World) { self.world = world }

    func act(on device: SimulatedDevice) throws {
        try look(at: device)
        try device.edit { context, promises in
            let all = try context.fetch(FetchRequest<SimulatedPosting>())
            if world.scheduler.chance(200), let chosen = world.any(all), let name = chosen["transfer"] as String? {
                for posting in all where posting["transfer"] as String? == name {
                    context.delete(posting)
                    promises.deletions.append(posting.key)
                }
                return promises.say("deletes transfer \(name)")
            }
            let name = world.uniqueText(device), amount = world.scheduler.pick(1...500)
            for (account, amount) in [(world.scheduler.pick(1...4), amount), (world.scheduler.pick(5...8), -amount)] {
                let posting = SimulatedPosting(context: context)
                promises.set(posting, "transfer", name)
                posting["account"] = account
                posting["amount"] = amount
            }
            promises.say("transfers \(amount) by \(name)")
        }
    }

    func look(at device: SimulatedDevice) throws {
        let postings = try device.read { context in
            try context.fetch(FetchRequest<SimulatedPosting>()).map { posting in
                (transfer: posting["transfer"] as String? ?? "", amount: posting["amount"] as Int64)
            }
        }
        for fault in BankChecker.faults(in: postings ?? [], seenBy: device.name) { world.fail(fault) }
    }

    func judge(_ device: SimulatedDevice) throws { try look(at: device) }
}
