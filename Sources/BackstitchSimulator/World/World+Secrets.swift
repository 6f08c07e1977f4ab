import Backstitch
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation

// Values that are encrypted: their keys, which are replaced and come late, and what of them the server may know.
extension World {
    /// A new process's way to the keys of its machine. A machine that comes when everything has healed has the newest
    /// one alone.
    func keys(of device: SimulatedDevice) -> SimulatedKeys { SimulatedKeys(machine(of: device)) }

    /// Whether the programs of a device have keys of their own: nothing that is public is encrypted, and what is shared
    /// may be so under the keys of its zone alone.
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

    /// The key pair by which a user gets the keys of the shared zone.
    func identity(of user: String) -> ShareIdentity {
        let identity = secrets.identities[user] ?? .generated()
        secrets.identities[user] = identity
        return identity
    }

    /// The keys of the shared zone that a device has, the current one first.
    private func zoneKeys(of device: SimulatedDevice) -> [EncryptionKey] {
        // A guest's name for it has the owner's before it.
        let zone = device.guest == nil ? "" : sharing.owner ?? ""
        return device.process?.parts.openedKeys(ofZone: zone) ?? []
    }

    /// Keeps the keys of the shared zone that a device has: what it has sent may arrive when it is no more.
    func noteZoneKeys(of device: SimulatedDevice) {
        guard plan.sharesKeys, device.database != .public else { return }
        for key in zoneKeys(of: device) { secrets.ofZone[key.id] = key }
    }

    // MARK: Fate

    /// A machine is given the keys that it lacks, or uses the newest that it has, or gets one that is new to the world,
    /// and uses it at once or not.
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

    /// All machines are given all keys, and use the newest.
    func giveAllKeys() {
        guard plan.hasSecrets else { return }
        for machine in secrets.machines.values {
            machine.withLock { $0 = MachineKeys(known: 1...secrets.newest, current: secrets.newest) }
        }
        for device in devices { device.tell(.trigger(.networkState, ticket: nil)) }
    }

    // MARK: What the server takes

    /// The fields that a device has sent, those that are encrypted as plaintext.
    func opened(_ record: WireRecord, _ key: ObjectKey, from device: SimulatedDevice) -> [String: WireValue?] {
        guard plan.hasSecrets, record.recordType == SimulationModel.secret else { return record.fields }
        var fields = record.fields
        for name in SimulationModel.encrypted {
            guard let value = record.fields[name] else { continue }
            let opened = open(value, name, record, from: device)
            if let opened { judge(opened.text, at: Ledger.Place(key, name), under: opened.keyID, from: device) }
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
        // A guest's value under a key that its zone does not have could be read by nobody else.
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

    /// A record waits for a key that its device has: it has forgotten it.
    func judgeParked(_ records: [ParkedRecord], on device: SimulatedDevice) {
        for record in records {
            guard let id = record.keyID, let keys = device.keys else { continue }
            situations.note("a record waited for its key")
            if !keys.wasMissed(id) {
                fail("\(device.name) has \(id), and does not read \(record.recordName.suffix(4)), which is under it")
            }
        }
    }

    /// Whether a change waits since its device does not have the key of the server's record.
    func waitsForKey(_ change: BlockedChange) -> Bool {
        guard plan.hasSecrets, change.objectID.entityName == SimulationModel.secret else { return false }
        return change.reason.contains("under the key")
            || plan.sharesKeys && change.reason.contains("there is no key to encrypt with")
    }

    /// The reasons for which the keys of a device have something left to do.
    func unrestOfKeys(_ device: SimulatedDevice, _ standing: Standing) -> [String] {
        guard plan.hasSecrets, device.database != .public else { return [] }
        // A process that stands by does not look at keys.
        let owner = devices.first { $0.database == .private && $0.process?.isStandby == false } ?? device
        let newest = plan.sharesKeys ? zoneKeys(of: owner).first?.id : SimulatedKeys.id(secrets.newest)
        let old = ledger.places(notUnder: newest ?? "")
        return (standing.parked > 0 ? ["\(device.name) has \(standing.parked) records parked"] : [])
            + (old.isEmpty ? [] : ["under old keys are \(old)"])
    }

    // MARK: The verdict

    /// Nobody's value was undone by a device that encrypted a record anew, and the server holds nothing readable.
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
