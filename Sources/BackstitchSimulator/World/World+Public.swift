import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire

extension World {
    /// Starts the devices with a store of the public database. If the plan shares a store between two processes, the
    /// first of these devices shares its store, too.
    func startPublicDevices() throws {
        publicData.everybodyWrites = plan.everybodyWrites
        for (number, user) in plan.publicUsers.enumerated() {
            try startPublicDevice(
                "public \(number)", UInt64(number), disk(plan.devices + plan.guests + number, nil), user)
        }
        if plan.sharesStore, let first = devices.first(where: { $0.database == .public }) {
            try startSecondProcess(beside: first)
        }
    }

    @discardableResult
    private func startPublicDevice(
        _ name: String, _ number: UInt64, _ disk: SimulatedDisk, _ user: String
    ) throws -> SimulatedDevice {
        disk.isPublic = true
        disk.isShared = plan.sharesStore && number == 0
        let device = SimulatedDevice(
            name, in: self, seed: plan.seed &+ 0xB0B0 &+ number &* 0x3D4D, disk: disk,
            modelVersion: SimulationModel.publicVersion, database: .public, user: user)
        devices.append(device)
        try device.start()
        return device
    }

    /// Starts a new device that follows everything. At the end its content must equal the server's.
    func startPublicNewcomer() throws {
        guard !plan.publicUsers.isEmpty else { return }
        let device = try startPublicDevice("public newcomer", 99, newcomersDisk("public newcomer"), "newcomer")
        try device.process?.parts.follow(Follow.all.request)
        publicData.newcomer = device
    }

    /// The server's public objects, as seen on the newcomer.
    func publicValues() throws -> FollowChecker.Objects {
        let values = try publicData.newcomer?.process?.notices() ?? [:]
        return values.filter { !publicData.goneLately.contains($0.key) }
    }

    /// Called when the server has changed a public record for a device.
    func notePublic(_ operation: RecordOperation, _ key: ObjectKey, by device: SimulatedDevice) {
        let date = server.clock.milliseconds()
        publicData.changed = scheduler.now
        if date + PublicData.overlap < publicData.latest {
            publicData.datedBack.insert(key)
            situations.note("a public record was dated far back")
        } else {
            publicData.datedBack.remove(key)
        }
        publicData.latest = max(publicData.latest, date)
        // Devices without a feed must cope with such dates. The clock turns only after the push, whose records share
        // one date.
        if plan.plain != nil, provokes(.clocks, 150) { scheduler.after(1) { [self] in turnBackALittle() } }
        let hasOldRights = scheduler.now < publicData.rightsChanged + PublicData.longestRequest
        if let maker = publicData.makers[key], maker != device.user, !publicData.everybodyWrites, !hasOldRights {
            fail("\(device.name) has changed \(key.uuidString.suffix(4)), which \(maker) has made")
        }
        if operation.operationType.isDeletion {
            publicData.makers[key] = nil
            if plan.plain != nil, publicData.newcomer != nil { publicData.goneLately.insert(key) }
        } else if publicData.makers[key] == nil {
            publicData.makers[key] = device.user
        }
    }

    /// Gives every user the right to change public records, or takes it from all but their creators. Devices learn of
    /// it with their next pull, or when a change is denied.
    func changePublicRights() {
        guard server.isRunning else { return }
        publicData.everybodyWrites.toggle()
        publicData.rightsChanged = scheduler.now
        trace.note("public notices may be changed by \(publicData.everybodyWrites ? "everybody" : "their makers")")
        situations.note(
            publicData.everybodyWrites ? "a right to public data was given" : "a right to public data was taken")
        server.restart(everybodyWrites: publicData.everybodyWrites)
    }

    private func turnBackALittle() {
        guard !isHealed else { return }
        let next = publicData.latest - scheduler.pick(1...PublicData.overlap - 5_000)
        server.clock.set(offset: next - scheduler.now - scheduler.skipped)
        situations.note("the server's clock went back a little")
    }

    /// The position of the public database's feed.
    private var publicHead: FeedPosition? {
        let found = Confined(Box<FeedPosition?>(nil)), world = Confined(self)
        scheduler.task {
            await world.value.attempt { found.value.value = try await world.value.server.publicPosition() }
        }
        scheduler.executor.drain()
        return found.value.value
    }

    /// The reasons against rest for a device with a store of the public database.
    func unrest(
        ofPublic device: SimulatedDevice, _ process: SimulatedDevice.Process, _ standing: Standing
    ) throws -> [String] {
        var reasons: [String] = []
        let followed = try process.parts.followed()
        for request in followed where request.state != .current {
            reasons.append("\(device.name) has not read what it follows: \(request.state)")
        }
        if device.disk.pulled <= publicData.changed { reasons.append("\(device.name) has not asked since") }
        if plan.plain == nil, !followed.isEmpty, let head = publicHead,
            standing.token.flatMap({ server.position(of: $0, on: device) }) != head
        {
            reasons.append("\(device.name) is not up to date with the feed")
        }
        return reasons
    }

    // MARK: The verdict

    /// Compares a device with the server if it has read the whole feed and has sent everything. Its followed objects
    /// must have the server's values.
    func comparePublic(_ device: SimulatedDevice) throws {
        guard plan.plain == nil, let process = device.process, process.running == 0,
            let standing = try device.standing(), standing.waiting == 0, let head = publicHead,
            process.lastCompared != head, standing.token.flatMap({ server.position(of: $0, on: device) }) == head,
            try process.parts.followed().allSatisfy({ $0.state == .current })
        else { return }
        process.lastCompared = head
        situations.note("a device stood where the feed of public data did")
        try judgeFollows(of: device, process, FollowChecker(server: ledger.objects(inZone: SimulatedServer.publicZone)))
    }

    /// Checks the public content of each device: its followed objects, its own changes, and nothing else. With a server
    /// without a feed, new objects are there at once, and departed objects are removed only after a day. One hour is
    /// added to the day, because the device's clock may have been an hour ahead at its last full query.
    func judgePublic() throws {
        guard !plan.publicUsers.isEmpty else { return }
        guard plan.plain != nil else { return try judgeFollows(FollowChecker(server: publicValues())) }
        try judgeFollows(
            FollowChecker(
                server: publicValues(), leavesOutDepartures: true, datedBack: publicData.datedBack))
        var morning: Int64
        repeat {
            trace.note("a day passes")
            scheduler.skip(86_400_000 + 3_600_000 + 60_000)
            morning = scheduler.now
            publicData.changed = morning
            publicData.goneLately = []
            run(for: Self.longestRecovery) { [self] in isQuiet }
            guard violations.isEmpty else { return }
            guard isQuiet else { return fail("a day later: \(unrest)") }
            // A device that deleted a record and finds it again deletes it once more. The others remove it a day later.
        } while publicData.changed > morning
        try judgeFollows(FollowChecker(server: publicValues()))
    }

    private func judgeFollows(_ checker: FollowChecker) throws {
        for device in devices where device.database == .public && device !== publicData.newcomer {
            if let process = device.process { try judgeFollows(of: device, process, checker) }
        }
    }

    private func judgeFollows(
        of device: SimulatedDevice, _ process: SimulatedDevice.Process, _ checker: FollowChecker
    ) throws {
        let follows = try Follow.allCases.filter { try process.follows($0) }
        if isHealed, follows.count > 1 { situations.note("a device followed several parts in the end") }
        let faults = checker.faults(
            of: device.name, following: follows, with: try process.notices(),
            own: publicData.touched[device.disk.name] ?? [])
        for fault in faults { fail(fault) }
    }
}
