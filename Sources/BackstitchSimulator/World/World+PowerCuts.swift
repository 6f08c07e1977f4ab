import Backstitch
import BackstitchSync

// A power cut of a machine ends all its processes. Commits that were not synced may be lost.
extension World {
    /// Cuts the power of a device, and so ends all processes on its disk.
    func cutPower(of device: SimulatedDevice) throws {
        let disk = device.disk, hit = devices.filter { $0.disk === disk }
        noteMoment(of: hit)
        for device in hit { try device.losePower() }
        let last = disk.commits, marks = disk.marks
        let cut = PowerCut(devices: Set(hit.map(\.name)), kept: try disk.losePower())
        trace.note("the power of \(disk.name) is cut: \(last - cut.kept) of \(last) commits are gone")
        let unsent = ledger.cut(disk.name, after: cut.kept)
        for workload in script?.workloads ?? [] { workload.lost(cut) }
        pushes.wentBack(disk.name, to: try disk.token.flatMap { server.position(of: $0, on: device) })
        guard last > cut.kept else { return situations.note("a power cut took no commit") }
        ledger.mayLackAnswers.insert(disk.name)
        if unsent > 0 { situations.note("a power cut took unsent changes") }
        for (name, commit) in marks where commit > cut.kept { situations.note("a power cut took \(name)") }
    }

    private func noteMoment(of devices: [SimulatedDevice]) {
        let processes = devices.compactMap(\.process)
        if processes.count > 1 { situations.note("a power cut ended two processes of a store") }
        if processes.contains(where: \.isPushing) { situations.note("the power was cut with a push under way") }
        if processes.contains(where: \.isBetweenPages) { situations.note("the power was cut between pages") }
        if processes.contains(where: \.isFetchingAll) {
            situations.note("the power was cut while everything was read again")
        }
    }

    /// Cuts the power of a device after a random time up to `longest` milliseconds.
    func cutPower(of device: SimulatedDevice, within longest: Int64) {
        let life = device.life
        scheduler.after(scheduler.pick(0...longest)) { [self] in
            guard device.life == life, device.isAlive, !isHealed else { return }
            let sent = device.process?.sent
            attempt { try cutPower(of: device) }
            provoke(afterEndOf: device, sending: sent, by: .powerCuts)
        }
    }
}
