import BackstitchSync

// Forgotten work would stay unnoticed, since each device looks at the server some minutes later anyway. Therefore no
// device may be idle earlier with work left: nothing under way, nothing awaited, no failure, and yet something to do.
extension World {
    /// The limit of idleness for a device with an unsent change, in milliseconds. A standby process tells of its save
    /// within half a second.
    private static let longestIdleness: Int64 = 4_000

    /// The limit of idleness for all devices together before they agree, in milliseconds. A long poll ends after two
    /// minutes if its answer is lost.
    private static let longestCommonIdleness: Int64 = 150_000

    /// Milliseconds within which an asset is tried again after its waiting time.
    private static let patience: Int64 = 35_000

    /// Whether the world is at rest. Reports a violation if all devices are idle before that.
    var isSettled: Bool {
        for device in devices { attempt { try judgeIdleness(of: device) } }
        let isQuiet = isQuiet
        if isQuiet { idleSince = nil } else { attempt { try judgeCommonIdleness() } }
        return isQuiet
    }

    private func judgeIdleness(of device: SimulatedDevice) throws {
        guard let process = device.process else { return }
        // A guest's device cannot finish the owner's move of an object to another zone.
        let heldBack = device.guest == nil ? 0 : try device.standing()?.heldBack ?? 0
        // A process may lose the lead as it begins to encrypt a record anew. It tells no other process, as this is not
        // an edit.
        let left = device.disk.isShared ? try device.standing()?.encryptedAnew ?? 0 : 0
        let count = try (device.standing()?.waiting ?? 0) - heldBack - left
        guard process.isIdle, count > 0 else { return process.idleSince = nil }
        let since = process.idleSince ?? scheduler.now
        process.idleSince = since
        guard scheduler.now - since > Self.longestIdleness else { return }
        fail("\(device.name) does nothing, though it has \(count) unsent changes")
    }

    /// Compares the owner's devices when all are idle. They need not have read their own changes back, but they must
    /// show the same objects. A device without a notification learns of a change by its next look.
    private func judgeCommonIdleness() throws {
        let isIdle = devices.allSatisfy { $0.process.map { $0.isStandby || $0.isIdle } ?? true }
        guard isIdle else { return idleSince = nil }
        let since = idleSince ?? scheduler.now
        idleSince = since
        guard scheduler.now - since > Self.longestCommonIdleness else { return }
        var images: [Int: (String, StoreImage)] = [:]
        for device in devices where device.database == .private {
            guard let process = device.process, let standing = try device.standing() else { continue }
            let assets = standing.assets - standing.nextTries.count { $0 > scheduler.now - Self.patience }
            if assets > 0 { fail("nobody does anything, though \(device.name) lacks \(assets) assets") }
            if hasUntoldChange { continue }
            let image = try StoreImage(process.coordinator)
            guard let (name, first) = images[device.modelVersion] else {
                images[device.modelVersion] = (device.name, image)
                continue
            }
            guard let difference = first.difference(from: image) else { continue }
            fail("nobody does anything, though \(name) and \(device.name) differ: \(difference)")
        }
    }
}

extension SimulatedDevice.Process {
    fileprivate var isIdle: Bool {
        let status = engine.status
        return status.state == .idle && status.nextTry == nil && running == 0 && held == nil
    }
}
