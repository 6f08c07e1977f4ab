import BackstitchSync

// Events that are rare by chance alone: a death, a stop, or a jump of a clock at the worst moment.
extension World {
    func provokes(_ fault: FaultKind, _ thousandths: Int) -> Bool {
        plan.faults.contains(fault) && !isHealed && scheduler.chance(thousandths)
    }

    /// Called when an effect begins on a device. The process may die while its push is under way.
    func provoke(atBeginningOf effect: SyncEngine.Effect, on device: SimulatedDevice) {
        switch effect {
        case .sendBatch(let batch):
            provoke(lossOfParentsIn: batch)
            if provokes(.crashes, 80) { kill(device, within: 40, "with a push under way") }
            if provokes(.powerCuts, 80) { cutPower(of: device, within: 80) }
        case .settleBatch, .applyPage, .applyPages:
            // The process dies in the one expected transaction, or in the next one of any kind.
            guard provokes(.crashes, 60) else { return }
            device.mortality.armed = (Int(scheduler.pick(1...2)), any(Mortality.Moment.allCases) ?? .beforeCommit)
        default: return
        }
    }

    /// Called when a process takes over the lead. It may die during that.
    func provoke(atTakeoverOf device: SimulatedDevice) {
        guard provokes(.crashes, 150) else { return }
        device.mortality.armed = (1, any(Mortality.Moment.allCases) ?? .beforeCommit)
    }

    /// Called after a page was applied. The device may die if more pages follow or references are still open.
    func provoke(after page: FetchedPage, on device: SimulatedDevice) {
        guard page.moreComing || !device.awaited.isEmpty else { return }
        if provokes(.crashes, 150) { kill(device, within: 0, "after a page") }
        if provokes(.powerCuts, 100) { cutPower(of: device, within: 0) }
    }

    /// Called when a device has written the outcome of a batch. A power cut may take that back.
    func provoke(afterSettlingOn device: SimulatedDevice) {
        if provokes(.powerCuts, 80) { cutPower(of: device, within: 2_000) }
    }

    /// Called when the server has carried out a request and not answered yet. It may die now. Or its clock jumps, and a
    /// newly given upload address expires.
    func provoke(beforeAnswerOf exchange: Exchange) {
        provoke(echoOf: exchange)
        if provokes(.restarts, 20) {
            situations.note("the server died before its answer")
            server.stop()
            scheduler.after(scheduler.pick(1...5_000)) { [self] in server.start() }
        }
        if exchange.endpoint == "assets/upload", provokes(.clocks, 200) {
            server.clock.set(offset: server.clock.milliseconds() - scheduler.now - scheduler.skipped + 3_600_000)
        }
    }

    private func kill(_ device: SimulatedDevice, within longest: Int64, _ how: String) {
        let life = device.life
        scheduler.after(scheduler.pick(0...longest)) { [self] in
            guard device.life == life, device.isAlive, device.mortality.isAlive, !isHealed else { return }
            attempt { try device.kill(how) }
        }
    }
}
