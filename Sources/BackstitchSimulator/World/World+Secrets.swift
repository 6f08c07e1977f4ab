import Backstitch
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation

// Encrypted values: their keys are replaced and arrive late, and the server must not see their plaintext.
extension World {
    /// The key provider of a new process. A machine that starts after the healing has only the newest key.
    func keys(of device: SimulatedDevice) -> SimulatedKeys { SimulatedKeys(machine(of: device)) }

    /// Whether the programs of a device have keys of their own. Public data is not encrypted. Shared data may use only
    /// the keys of its zone.
    func hasKeys(_ device: SimulatedDevice) -> Bool {
        plan.hasSecrets && device.database != .public && !(plan.sharesKeys && device.guest != nil)
    }

    private func machine(of device: SimulatedDevice) -> Locked<MachineKeys> {
        if let machine = secrets.machines[device.disk.name] { return machine }
        let first = isHealed ? secrets.newest : 1
        let machine = Locked(MachineKeys(known: first...first, current: first))
        secrets.machines[device.disk.name] = machine
        return machine
    }

    /// The key pair that gives a user the keys of the shared zone.
    func identity(of user: String) -> ShareIdentity {
        let identity = secrets.identities[user] ?? .generated()
        secrets.identities[user] = identity
        return identity
    }

    /// The keys of the shared zone on a device, the current one first.
    private func zoneKeys(of device: SimulatedDevice) -> [EncryptionKey] {
        // On a guest's device, the zone is named after its owner.
        let zone = device.guest == nil ? "" : sharing.owner ?? ""
        return device.process?.parts.openedKeys(ofZone: zone) ?? []
    }

    /// Keeps a device's keys of the shared zone. Its last messages may arrive after its process has ended.
    func noteZoneKeys(of device: SimulatedDevice) {
        guard plan.sharesKeys, device.database != .public else { return }
        for key in zoneKeys(of: device) { secrets.ofZone[key.id] = key }
    }

    // MARK: Fate

    /// Changes the keys of a machine by chance. It gets the keys that it lacks, begins to use its newest key, or gets a
    /// key new to the world.
    func changeKeys() {
        guard let device = any(presentDevices.filter { $0.database != .public }) else { return }
        let machine = machine(of: device)
        var keys = machine.withLock { $0 }
        if keys.known.upperBound < secrets.newest, scheduler.chance(700) {
            keys.known = 1...secrets.newest
            situations.note("a device was given a key later")
        } else if keys.current < keys.known.upperBound, scheduler.chance(700) {
            keys.current = keys.known.upperBound
            situations.note("a device began to use a key that it had")
        } else {
            guard secrets.newest < 9 else { return }
            secrets.newest += 1
            keys.known = 1...secrets.newest
            if scheduler.chance(700) { keys.current = secrets.newest }
            situations.note("a key was made")
        }
        machine.withLock { [keys] in $0 = keys }
        trace.note("\(device.name) has the keys \(keys.known), and uses \(keys.current)")
        if scheduler.chance(500) { device.tell(.trigger(.networkState, ticket: nil)) }
    }

    /// Gives all machines all keys. They use the newest.
    func giveAllKeys() {
        guard plan.hasSecrets else { return }
        for machine in secrets.machines.values {
            machine.withLock { $0 = MachineKeys(known: 1...secrets.newest, current: secrets.newest) }
        }
        for device in devices { device.tell(.trigger(.networkState, ticket: nil)) }
    }

    // MARK: What the server takes

    /// The fields of a record as sent by a device, with encrypted values as plaintext.
    func opened(
        _ operation: RecordOperation, _ key: ObjectKey, from device: SimulatedDevice
    ) -> [String: WireValue?] {
        let record = operation.record
        guard plan.hasSecrets, record.recordType == SimulationModel.secret else { return record.fields }
        var fields = record.fields
        for name in SimulationModel.encrypted {
            guard let value = record.fields[name] else { continue }
            let opened = open(value, name, record, from: device)
            // A record that is made, or made anew, may be the copy of an object in another zone.
            if let opened, !operation.operationType.replacesFields {
                judge(opened.text, at: Ledger.Place(key, name), under: opened.keyID, from: device)
            }
            for (name, value) in Ledger.fields(of: name, opened?.text, under: opened?.keyID) {
                fields.updateValue(value.map(WireValue.string), forKey: name)
            }
        }
        return fields
    }

    private func open(
        _ value: WireValue?, _ name: String, _ record: WireRecord, from device: SimulatedDevice
    ) -> (text: String, keyID: String)? {
        guard let value else { return nil }
        let place = "\(device.name) has sent \(record.recordName.suffix(4)).\(name)"
        guard case .bytes(let bytes) = value else {
            fail("\(place) in plain")
            return nil
        }
        noteZoneKeys(of: device)
        // A guest's value must be under a key of the zone. With any other key, no other user could read it.
        let own =
            plan.sharesKeys && device.guest != nil ? [] : (1...secrets.newest).compactMap { try? SimulatedKeys.key($0) }
        for key in own + secrets.ofZone.values {
            guard
                let plain = key.opened(
                    bytes, recordName: record.recordName, recordType: SimulationModel.secret, field: name)
            else { continue }
            switch plain {
            case .string(let text): return (text, key.id)
            case .int64(let number): return (String(number), key.id)
            default: continue
            }
        }
        fail("\(place) in a form that no key opens")
        return nil
    }

    private func judge(_ value: String, at place: Ledger.Place, under keyID: String, from device: SimulatedDevice) {
        if ledger.has(place, value) {
            if ledger.places(notUnder: keyID).contains(place) { situations.note("a value was encrypted anew") }
        } else if ledger.wasOverwritten(place, value), !ledger.isUnsentAgain(place, value, on: device.disk.name) {
            secrets.undone.append((device.disk.name, place, value))
        }
    }

    // MARK: What devices say

    /// Checks parked records. If a device waits for a key of its own machine, it has forgotten the key.
    func judgeParked(_ records: [ParkedRecord], on device: SimulatedDevice) {
        for record in records {
            guard let id = record.keyID, let keys = device.keys else { continue }
            situations.note("a record waited for its key")
            if !keys.wasMissed(id) {
                fail("\(device.name) has \(id), and does not read \(record.recordName.suffix(4)), which is under it")
            }
        }
    }

    /// Whether a change waits because its device lacks the key of the server's record.
    func waitsForKey(_ change: BlockedChange) -> Bool {
        guard plan.hasSecrets, change.objectID.entityName == SimulationModel.secret else { return false }
        return change.reason.contains("under the key")
            || plan.sharesKeys && change.reason.contains("there is no key to encrypt with")
    }

    /// The reasons against rest that concern a device's keys.
    func unrestOfKeys(_ device: SimulatedDevice, _ standing: Standing) -> [String] {
        guard plan.hasSecrets, device.database != .public else { return [] }
        // A standby process does not look at keys.
        let owner = devices.first { $0.database == .private && $0.process?.isStandby == false } ?? device
        let own = SimulatedKeys.id(secrets.newest)
        let old = ledger.places(notUnder: plan.sharesKeys ? zoneKeys(of: owner).first?.id ?? "" : own, further: own)
        return (standing.parked > 0 ? ["\(device.name) has \(standing.parked) records parked"] : [])
            + (old.isEmpty ? [] : ["under old keys are \(old)"])
    }

    // MARK: The verdict

    /// Checks the secrets. No device may have undone a newer value when it encrypted a record anew, and the server must
    /// hold no plaintext.
    func judgeSecrets() throws {
        guard plan.hasSecrets else { return }
        for (device, place, value) in secrets.undone where !ledger.mayUndo(device, place) {
            fail("\(device) has sent \(value) to \(place) again, where somebody had overwritten it")
        }
        if try server.holds(.hidden) { fail("the server holds a plaintext") }
        if ledger.server.values.contains(where: { $0?["label"] != nil }), try !server.holds(.open) {
            fail("the search in the server finds nothing at all")
        }
    }
}
