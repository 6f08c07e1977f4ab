import BackstitchSync

// Events that chance alone seldom brings about: a death, a stop or a jump of a clock just where it hurts most.
extension World {
    func provokes(_ fault: FaultKind, _ thousandths: Int) -> Bool {
        plan.faults.contains(fault) && !isHealed && scheduler.chance(thousandths)
    }

    /// An effect begins on a device, which may die while a push is on its way.
    func provoke(atBeginningOf effect: SyncEngine.Effect, on device: SimulatedDevice) {
        switch effect {
        case .sendBatch(let batch):
            provoke(lossOfParentsIn: batch)
            if provokes(.crashes, 80) { kill(device, within: 40, "with a push under way") }
            if provokes(.powerCuts, 80) { cutPower(of: device, within: 80) }
        case .settleBatch, .applyPage, .applyPages:
            // In the one transaction that there should be, or in the next one, whatever it is.
            guard provokes(.crashes, 60) else { return }
            device.mortality.armed = (Int(scheduler.pick(1...2)), any(Mortality.Moment.allCases) ?? .beforeCommit)
        default: return
        }
    }

    /// A process takes the place of another one, and may die while it does.
    func provoke(atTakeoverOf device: SimulatedDevice) {
        guard provokes(.crashes, 150) else { return }
        device.mortality.armed = (1, any(Mortality.Moment.allCases) ?? .beforeCommit)
    }

    /// A page was applied, after which a device may die: with more to come, or with references to what is not there.
    func provoke(after page: FetchedPage, on device: SimulatedDevice) {
        guard page.moreComing || !device.awaited.isEmpty else { return }
        if provokes(.crashes, 150) { kill(device, within: 0, "after a page") }
        if provokes(.powerCuts, 100) { cutPower(of: device, within: 0) }
    }

    /// A device has written what became of a batch, and may forget that.
    func provoke(afterSettlingOn device: SimulatedDevice) {
        if provokes(.powerCuts, 80) { cutPower(of: device, within: 2_000) }
    }

    /// The server has done something and not told anybody, which may be its last deed. Or its clock jumps, so that an
    /// address which it has just given has run out.
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
