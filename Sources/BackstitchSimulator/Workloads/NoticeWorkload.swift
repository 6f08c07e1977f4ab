import Backstitch
import BackstitchSync

/// Public notices: made, changed and deleted, sometimes by a user without the right to it. Devices follow them with
/// several requests, which begin and end.
final class NoticeWorkload: Workload {
    private unowned let world: World
    private var scheduler: Scheduler { world.scheduler }
    /// The parts that a device follows, by its disk.
    private var followed: [String: Set<Follow>] = [:]
    /// Disks whose followed parts are uncertain: a process died during the change, or the power was cut.
    private var doubtful: Set<String> = []

    /// Whether the present save changes objects of other users.
    private var editsOthers = false
    /// Whether it deletes some of them.
    private var deletesOthers = false

    init(_ world: World) { self.world = world }

    func act(on device: SimulatedDevice) throws {
        // The process may have died within a step that has not unwound yet.
        guard let process = device.living else { return }
        let followsNothing = try process.parts.followed().isEmpty
        if scheduler.chance(followsNothing ? 600 : 200) { return try turn(device) }
        (editsOthers, deletesOthers) = (false, false)
        let outcome = try device.edit { context, promises in
            for _ in 0..<Int(scheduler.pick(1...3)) { try step(context, &promises, on: device) }
        }
        // The right goes before the change is sent. Few saves delete objects of others, so it always goes then.
        if case .saved = outcome, editsOthers, world.plan.changesPublicRights, world.publicData.everybodyWrites,
            deletesOthers || scheduler.chance(400)
        {
            world.changePublicRights()
        }
    }

    // MARK: Publishing

    private func step(
        _ context: ManagedObjectContext, _ promises: inout Promises, on device: SimulatedDevice
    ) throws {
        let all = try context.fetch(FetchRequest<SimulatedNotice>()).filter { !$0.isDeleted }
        let text = world.uniqueText(device)
        let isOwn = scheduler.chance(600)
        let notice = world.any(all.filter { ($0["author"] as String? == device.user) == isOwn })
        let choice = scheduler.pick(0...11)
        guard choice > 3, let notice else {
            let notice = SimulatedNotice(context: context)
            promises.set(notice, "text", text)
            promises.set(notice, "author", device.user)
            rank(notice, &promises)
            promises.set(notice, "topic", world.any(Follow.topics))
            world.publicData.touched[device.disk.name, default: []].insert(notice.key)
            return promises.say("publishes \(describe(notice)) \(text)")
        }
        world.publicData.touched[device.disk.name, default: []].insert(notice.key)
        if notice["author"] as String? != device.user { editsOthers = true }
        switch choice {
        case 4...6:
            promises.set(notice, "text", text)
            promises.say("writes \(text) into notice \(notice.label)")
        case 7, 8:
            rank(notice, &promises)
            promises.say("ranks \(describe(notice))")
        case 9:
            promises.set(notice, "topic", world.any(Follow.topics))
            promises.say("puts \(describe(notice))")
        default:
            if notice["author"] as String? != device.user { deletesOthers = true }
            promises.deletions.append(notice.key)
            promises.say("deletes notice \(notice.label) of \(notice["author"] as String? ?? "nobody")")
            context.delete(notice)
        }
    }

    /// Gives a notice a rank unlike all others.
    private func rank(_ notice: SimulatedNotice, _ promises: inout Promises) {
        let rank = scheduler.pick(0...3) * Follow.ranks / 4 + Int64(world.uniqueNumber())
        notice["rank"] = rank
        let place = Ledger.Place(notice.key, "rank")
        promises.values.removeAll { $0.0 == place }
        promises.values.append((place, String(rank)))
    }

    private func describe(_ notice: SimulatedNotice) -> String {
        "notice \(notice.label) at \(notice["rank"] as Int64? ?? 0) under \(notice["topic"] as String? ?? "nothing")"
    }

    // MARK: Following

    /// Begins to follow a part, or stops following one. A stopped part may be followed again at once or later.
    private func turn(_ device: SimulatedDevice) throws {
        guard let process = device.living else { return }
        let now = try Follow.allCases.filter { try process.follows($0) }
        guard let ended = world.any(now), scheduler.chance(450) else {
            guard let new = world.any(Follow.allCases.filter { !now.contains($0) }) else { return }
            return try begin(new, on: device, process)
        }
        let keeps = scheduler.chance(250)
        world.trace.note(
            "\(device.name) follows \"\(ended.rawValue)\" no more\(keeps ? ", and keeps what it has" : "")")
        world.situations.note("a device followed a part no more")
        if keeps { world.publicData.touched[device.disk.name, default: []].formUnion(try process.notices().keys) }
        process.step = "an app's save"
        do { try process.parts.unfollow(ended.request, keepsObjects: keeps) } catch  where !process.isAlive {
            doubtful.insert(device.disk.name)
            return
        }
        followed[device.disk.name, default: []].remove(ended)
        guard scheduler.chance(300) else { return tell(device) }
        world.situations.note("a device followed a part again at once")
        try begin(ended, on: device, process)
    }

    private func begin(_ part: Follow, on device: SimulatedDevice, _ process: SimulatedDevice.Process) throws {
        world.trace.note("\(device.name) follows \"\(part.rawValue)\"")
        process.step = "an app's save"
        do { try process.parts.follow(part.request) } catch  where !process.isAlive {
            doubtful.insert(device.disk.name)
            return
        }
        followed[device.disk.name, default: []].insert(part)
        tell(device)
    }

    /// Asks for a sync, or leaves the change for the next one.
    private func tell(_ device: SimulatedDevice) {
        if scheduler.chance(700) { device.tell(.trigger("what is followed has changed", ticket: nil)) }
    }

    func lost(_ cut: PowerCut) {
        for device in world.devices where cut.devices.contains(device.name) && device.database == .public {
            doubtful.insert(device.disk.name)
        }
    }

    func judge(_ device: SimulatedDevice) throws {
        guard let process = device.process, device !== world.publicData.newcomer, !doubtful.contains(device.disk.name)
        else { return }
        let known = followed[device.disk.name] ?? []
        let now = try Set(Follow.allCases.filter { try process.follows($0) })
        if now != known { world.fail("\(device.name) follows \(now), and was told to follow \(known)") }
    }
}

extension SimulatedDevice.Process {
    /// Whether its store follows a part.
    func follows(_ part: Follow) throws -> Bool {
        let request = try part.request
        return try parts.followed().contains {
            $0.entityName == request.entityName && $0.predicate == request.predicate
        }
    }

    /// The values of all notices on the device.
    func notices() throws -> FollowChecker.Objects { try StoreImage.values(coordinator) }
}
