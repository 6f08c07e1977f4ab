import Backstitch
import BackstitchSync

// The worst state after a restart. A device died while it wrote the outcome of a push, or it lost its power. Its object
// reached the server and was deleted there, and the device hears only of the deletion.
extension World {
    /// Kinds of objects that any user may delete one by one without breaking a workload's promises.
    static let deletable: Set<String> = ["Note", "Folder", "Tag", "Notice"]

    /// Called when a device died while it wrote the outcome of a batch, or lost its power after it had sent one.
    func provoke(afterEndOf device: SimulatedDevice, sending batch: PushBatch?, by fault: FaultKind) {
        guard let batch, provokes(fault, 400),
            let sent = batch.items.map(\.entry).first(where: {
                $0.kind == .insert && Self.deletable.contains($0.objectID.entityName)
            }),
            let other = any(
                presentDevices.filter { $0.disk !== device.disk && $0.isAlive && $0.mayHave(whatIsOn: device) })
        else { return }
        device.isAway = true
        bereave(device, of: sent.objectID, by: other, looks: 100)
    }

    /// Lets `other` delete the object as soon as it has it. `device` starts again as soon as the server knows the
    /// deletion.
    private func bereave(_ device: SimulatedDevice, of id: ObjectID, by other: SimulatedDevice, looks: Int) {
        scheduler.after(200) { [self] in
            // At the healing it starts anyway.
            guard device.isAway, !isHealed else { return }
            if ledger.isGone(id.key) { situations.note("what a device had sent was deleted before it came back") }
            guard looks > 0, !ledger.isGone(id.key) else {
                device.isAway = false
                return attempt { if !device.isAlive { try device.start() } }
            }
            attempt { try other.delete(id) }
            bereave(device, of: id, by: other, looks: looks - 1)
        }
    }
}

extension SimulatedDevice {
    /// Whether an object of another device can be on it, too.
    func mayHave(whatIsOn other: SimulatedDevice) -> Bool { (database == .public) == (other.database == .public) }

    /// Deletes an object, if the device has it.
    func delete(_ id: ObjectID) throws {
        guard let process = living, try process.has(id) else { return }
        // Without the right to delete it, the device gets it back, even if it no longer follows it then.
        if database == .public { world.publicData.touched[disk.name, default: []].insert(id.key) }
        try edit { context, promises in
            let object = try context.existingObject(with: id)
            context.delete(object)
            promises.deletions.append(id.key)
            promises.say("deletes \(object.label), of which another one cannot know yet")
        }
    }
}
