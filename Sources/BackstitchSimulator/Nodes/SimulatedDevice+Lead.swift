import Backstitch
import BackstitchSync

// Several processes on one disk: one syncs, and the others stand by, as the processes of a synced store do.
extension SimulatedDevice {
    /// The process's claim to lead, for this life.
    func claim(_ mortality: Mortality) -> SyncLeadClaim {
        let lead = Confined((disk, mortality))
        return SyncLeadClaim(name: "\(name), life \(life)") { lead.value.0.isLed(by: lead.value.1) }
    }

    /// Checks now and then whether the lead is free, and takes it.
    func standBy(_ process: Process) {
        process.isStandby = true
        let life = life
        world.scheduler.after(world.scheduler.pick(50...600)) { [unowned self] in
            guard self.life == life, mortality.isAlive, process.isStandby else { return }
            guard disk.takeLead(mortality) else { return standBy(process) }
            world.attempt { try takeOver(process) }
        }
    }

    private func takeOver(_ process: Process) throws {
        process.step = "taking over"
        world.provoke(atTakeoverOf: self)
        do {
            let event = try process.parts.takeOver()
            process.isStandby = false
            world.situations.note("a process took over")
            world.trace.note("\(name) leads")
            tell(event)
        } catch  where !mortality.isAlive {}
    }

    /// Takes the lock from the process although it lives. The process hears of that later.
    func loseLead(heardAfter pause: Int64) {
        guard let process, !process.isStandby, disk.isLed(by: mortality) else { return }
        dropLead()
        hearOfLoss(after: pause, life)
    }

    /// Frees the lock for other processes.
    func dropLead() {
        disk.dropLead()
        world.situations.note("a process lost the lead and lived")
        world.trace.note("\(name) loses the lead")
    }

    /// Tells the process of a life, after a pause, that it no longer leads. Then it stands by.
    func hearOfLoss(after pause: Int64, _ life: Int) {
        world.scheduler.after(pause) { [unowned self] in
            guard self.life == life, let process = living, !process.isStandby else { return }
            tell(.lostLead)
            standBy(process)
        }
    }

    /// Starts the sending of saved changes, by this process or by the leader.
    func tellOfSave() {
        if process?.isStandby == true {
            world.situations.note("a process saved that stood by")
        } else {
            tell(.trigger(.localSave, ticket: nil))
        }
        guard disk.isShared else { return }
        // A process that has lost the lead, and has not heard of it, may die before it sends anything.
        world.scheduler.after(world.scheduler.pick(1...500)) { [unowned self] in
            let leader = world.devices.first {
                $0 !== self && $0.disk === disk && $0.process?.isStandby == false
            }
            leader?.tell(.trigger(.localSave, ticket: nil))
        }
    }
}
