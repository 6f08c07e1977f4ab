import Backstitch
import BackstitchSync
import BackstitchTestKit

// The world observes these events for the checkers, and to count situations.
extension World {
    func heard(_ report: SyncEngine.Report, from device: SimulatedDevice) {
        switch report {
        case .started, .progress: break
        case .finished(let summary, _):
            trace.note("\(device.name) finished: received \(summary.received), sent \(summary.sent)")
            attempt { try compareReplica(device) }
        case .failed(let error, _): trace.note("\(device.name) failed: \(error.message)")
        }
    }

    /// Compares a device that is up to date and has sent everything with all others at the same position.
    private func compareReplica(_ device: SimulatedDevice) throws {
        if device.database == .public { return try comparePublic(device) }
        guard let process = device.process, !process.isFetchingAll, process.running == 0,
            device.guest == nil || !plan.sharesObjects
        else { return }
        guard let standing = try device.standing(), standing.waiting == 0, let head, process.lastCompared != head,
            standing.token.flatMap { server.position(of: $0, on: device) } == head
        else { return }
        process.lastCompared = head
        situations.note("a device stood where the server did")
        let image = try StoreImage(process.coordinator, of: plan.entities)
        let place = ReplicaChecker.Place(modelVersion: device.modelVersion, position: head)
        if let fault = replicas.saw(device.disk.name, image.lines, at: place) { fail(fault) }
    }

    /// Notes the outcome of an effect at the moment of the outcome.
    func outcome(_ event: SyncEngine.Event, of effect: SyncEngine.Effect, on device: SimulatedDevice) {
        switch event {
        case .pageFetched(.success(let page)):
            // This pull begins from nothing, like a full fetch after a restart.
            let own = device.guest == nil ? effect : effect.inside
            if page.base == nil, case .fetchPage = own { _ = pushes.stored(device.disk.name, nil) }
            if page.moreComing { situations.note("a pull had more than one page") }
        case .pageFetched(.failure(let failure)):
            if failure.kind == .tokenRefused, case .fetchPage(.token) = effect {
                situations.note("a token was refused between pages")
            }
        case .pageApplied(.success(let applied)):
            device.disk.mark("a page")
            report(applied, from: device)
            noteToken(of: device)
            noteReferences(applied.changes, on: device)
            if case .applyPage(let page) = effect.inside {
                device.process?.isBetweenPages = page.moreComing
                if !page.moreComing { device.disk.pulled = device.process?.pullBegan ?? 0 }
                provoke(after: page, on: device)
            }
        case .pagesApplied(.success(let applied)):
            device.disk.mark("a page")
            situations.note("pages of several zones were applied together")
            for (_, applied) in applied.zones {
                report(applied, from: device)
                noteReferences(applied.changes, on: device)
            }
            if case .applyPages(let pages) = effect { for page in pages { provoke(after: page.page, on: device) } }
        case .movesSettled(.success(let settled)):
            device.disk.mark("moves")
            report(settled.applied, from: device)
            noteReferences(settled.applied.changes, on: device)
        case .batchPrepared(.success(let prepared)):
            if !prepared.uploads.isEmpty { situations.note("a change waited for an upload") }
            if !prepared.blocked.isEmpty { blocked(prepared.blocked, device) }
        case .assetUploaded(_, .failure(let failure)):
            situations.note("an upload beside the cycles failed")
            if failure.kind == .superseded { situations.note("an upload's address ran out before its use") }
        case .batchSent(.success(let reply)):
            for case .parentless in reply.answers { situations.note("a change named a parent that the server lacked") }
        case .batchSent(.failure(let failure)):
            if failure.kind == .superseded { situations.note("an upload's address ran out before its use") }
        case .batchSettled(.success(let settled)): noteSettled(settled, on: device)
        case .batchSettled(.failure(let failure)):
            if failure.kind == .superseded { situations.note("an answer came to who led no more") }
        case .pageApplied(.failure(let failure)), .pagesApplied(.failure(let failure)):
            if failure.kind == .superseded { situations.note("a page came to who led no more") }
        case .tokenForgotten(.success): noteForgottenToken(of: device)
        case .zoneDropped(.success(let dropped)):
            situations.note("a device learnt that a further zone is gone")
            report(dropped, from: device)
        case .zoneForgotten(.success):
            situations.note("a device learnt that the zone is gone")
            if case .forgetToken = effect { situations.note("a device learnt that another zone is in its place") }
            ledger.hasLostZone = true
        case .assetsFetched(let missing, _): if missing > 0 { situations.note("an asset could not be had") }
        default: break
        }
    }

    private func noteSettled(_ settled: SettledBatch, on device: SimulatedDevice) {
        device.process?.sent = nil
        device.disk.mark("an acknowledgement")
        provoke(afterSettlingOn: device)
        report(settled.news, from: device)
        if !settled.news.conflicts.isEmpty { situations.note("a push met a conflict") }
        if !settled.untouched.isEmpty { situations.note("a change waited for another one of its batch") }
        if !settled.deferred.isEmpty { situations.note("a change was put off by the server") }
        if !settled.blocked.isEmpty { blocked(settled.blocked, device) }
    }

    private func blocked(_ changes: [BlockedChange], _ device: SimulatedDevice) {
        let others = changes.filter { !waitsForKey($0) }
        if others.count < changes.count { situations.note("an edit waited for the key of the server's record") }
        if !others.isEmpty { fail("\(device.name) has put into quarantine: \(others)") }
    }

    private func noteForgottenToken(of device: SimulatedDevice) {
        situations.note("a token was refused")
        device.process?.isFetchingAll = true
        attempt {
            if try device.hasUnsentChanges { situations.note("a token was refused while changes were unsent") }
        }
    }

    private func report(_ applied: AppliedChanges, from device: SimulatedDevice) {
        for conflict in applied.conflicts {
            ledger.reported(device.disk.name, conflict, at: device.disk.commits)
            situations.note("conflict: \(conflict.kind.rawValue), \(conflict.winner.rawValue) won")
        }
        for change in applied.reverted {
            ledger.reverted(device.disk.name, change, at: device.disk.commits)
            situations.note("a change was taken back: \(change.kind)")
        }
        if !applied.parked.isEmpty { situations.note("a record was parked") }
        judgeParked(applied.parked, on: device)
    }

    private func noteToken(of device: SimulatedDevice) {
        attempt {
            guard let standing = try device.standing() else { return }
            device.process?.isFetchingAll = standing.isFetchingAll
            let position = standing.token.flatMap { server.position(of: $0, on: device) }
            if let fault = pushes.stored(device.disk.name, position) { fail(fault) }
        }
    }

    /// Notes references to missing objects, and the later arrival of these objects.
    private func noteReferences(_ changes: StoreChanges, on device: SimulatedDevice) {
        guard let process = device.process else { return }
        attempt {
            let came = device.awaited.filter { key, _ in changes.inserted.contains { $0.key == key } }
            for (key, life) in came {
                device.awaited[key] = nil
                situations.note(
                    life == device.life
                        ? "what was referred to came later" : "what was referred to came after a restart")
            }
            for (name, ids) in Dictionary(grouping: changes.inserted, by: \.entityName) {
                guard let entity = process.coordinator.model.entity(named: name) else { continue }
                let columns = entity.columns.filter { $0.relationship != nil }
                guard !columns.isEmpty else { continue }
                let rows = try process.store.rows(of: entity, keys: ids.map(\.key))
                for row in 0..<rows.count {
                    for column in columns {
                        guard case .object(let target) = rows.value(row, column.slot),
                            let other = process.coordinator.model.entity(named: target.entityName),
                            try process.store.rows(of: other, keys: [target.key]).count == 0
                        else { continue }
                        device.awaited[target.key] = device.life
                    }
                }
            }
        }
    }

    /// Notes the outcome of a user's save.
    func saved(_ promises: Promises, on device: SimulatedDevice, _ outcome: SaveOutcome) {
        trace.note("\(device.name) \(promises.words.joined(separator: ", ")): \(outcome)")
        if outcome == .unknown { for key in promises.deletions { ledger.mayHaveDeleted(key) } }
        guard outcome == .saved else { return }
        if device.process?.isPushing == true { situations.note("an edit during a push") }
        if device.process?.isFetchingAll == true { situations.note("an edit while everything was read again") }
        if device.process?.isBetweenPages == true { situations.note("an edit between pages") }
        let commit = device.disk.commits
        for (place, value) in promises.values { ledger.saved(device.disk.name, place, value, at: commit) }
        for key in promises.deletions { ledger.deleted(device.disk.name, key, at: commit) }
        if provokes(.powerCuts, 15) { cutPower(of: device, within: 1_000) }
    }
}
