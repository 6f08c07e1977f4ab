import Backstitch
import BackstitchSync

// The worst moment for a process to be suspended or swapped out: it has received an answer and not written it yet.
// Meanwhile another process on its store takes the lead and continues. The answer then tells of an older state.
extension World {
    /// Called before a process writes the content of a page or an answer. The process may be suspended for a while
    /// instead.
    ///
    /// - Returns: Whether it is suspended.
    func provoke(standstillBefore effect: SyncEngine.Effect, on device: SimulatedDevice) -> Bool {
        guard !isHealed, device.canLoseLead else { return false }
        switch effect {
        case .settleBatch(let batch, let reply):
            let met = Self.object(inConflict: batch, reply)
            guard scheduler.chance(met == nil ? 80 : 700) else { return false }
            standStill(device, until: met, looks: Int(scheduler.pick(5...100)))
        case .applyPage, .applyPages:
            guard scheduler.chance(50) else { return false }
            standStill(device, until: nil, looks: Int(scheduler.pick(5...50)))
        default: return false
        }
        return true
    }

    /// An object that another device has changed as well, and that any user may delete.
    private static func object(inConflict batch: PushBatch, _ reply: PushReply) -> ObjectID? {
        zip(batch.items, reply.answers).first { item, answer in
            guard case .conflict(_?) = answer else { return false }
            return deletable.contains(item.entry.objectID.entityName)
        }?.0.entry.objectID
    }

    private func standStill(_ device: SimulatedDevice, until met: ObjectID?, looks: Int) {
        situations.note("a process stood still while another could lead")
        trace.note("\(device.name) stands still")
        device.standStill()
        let other = any(presentDevices.filter { $0.disk !== device.disk && $0.isAlive && $0.mayHave(whatIsOn: device) })
        let life = device.life
        look(looks, at: device, life, met, other)
    }

    /// Lets the other device delete the object of the answer. The process continues once the deletion is on its disk.
    private func look(
        _ looks: Int, at device: SimulatedDevice, _ life: Int, _ met: ObjectID?, _ other: SimulatedDevice?
    ) {
        scheduler.after(200) { [self] in
            guard device.life == life, device.isAlive else { return device.isAway = false }
            let isKnown = met.map { isDeleted($0, onDiskOf: device) } ?? false
            if isKnown { situations.note("what an answer told of was deleted while its process stood still") }
            guard !isHealed, !isKnown, looks > 0 else {
                trace.note("\(device.name) goes on")
                return device.goOn()
            }
            if let met, let other, !ledger.isGone(met.key) { attempt { try other.delete(met) } }
            look(looks - 1, at: device, life, met, other)
        }
    }

    private func isDeleted(_ id: ObjectID, onDiskOf device: SimulatedDevice) -> Bool {
        guard ledger.isGone(id.key), let process = device.living else { return false }
        var isThere = true
        attempt { isThere = try process.has(id) }
        return !isThere
    }
}

extension SimulatedDevice {
    /// Whether another process on its disk could take the lead from it.
    fileprivate var canLoseLead: Bool {
        guard disk.isShared, let process, process.held == nil else { return false }
        return !process.isStandby && disk.isLed(by: mortality)
    }

    /// Suspends the process: all its events and effects wait.
    fileprivate func standStill() {
        process?.held = []
        isAway = true
        dropLead()
    }

    /// Continues with all waiting actions. Meanwhile the process hears that it no longer leads.
    fileprivate func goOn() {
        isAway = false
        guard let process, let held = process.held else { return }
        process.held = nil
        let life = life
        for action in held { world.scheduler.after(world.scheduler.pick(0...20)) { action() } }
        hearOfLoss(after: world.scheduler.pick(0...200), life)
    }
}
