import Backstitch

// The ledger keeps the plaintext of encrypted values, as of other values. Beside it, under a property that no object
// has, it keeps the name of the key.
extension Ledger {
    private static let keySuffix = "@key"

    /// The ledger's fields for an encrypted value and its key. They are nil if the field is cleared.
    package static func fields(of property: String, _ value: String?, under keyID: String?) -> [String: String?] {
        [property: value, property + keySuffix: keyID]
    }

    /// The places of encrypted values that the server has under other keys than these.
    ///
    /// - Parameter main: The key of the main zone.
    /// - Parameter further: The key of the further zones; nil if it is the same.
    package func places(notUnder main: String, further: String? = nil) -> [Place] {
        server.flatMap { key, record in
            let keyID = zone(of: key) == nil ? main : further ?? main
            return (record ?? [:]).compactMap { name, id in
                name.hasSuffix(Self.keySuffix) && id != keyID
                    ? Place(key, String(name.dropLast(Self.keySuffix.count))) : nil
            }
        }.sorted()
    }

    /// Whether the server has a value in a place now.
    package func has(_ place: Place, _ value: String) -> Bool { (server[place.key] ?? nil)?[place.property] == value }

    /// Whether the server once had a value in a place, and has another one now. A device that sends the old value again
    /// undoes a newer write.
    package func wasOverwritten(_ place: Place, _ value: String) -> Bool {
        guard let now = (server[place.key] ?? nil)?[place.property] else { return false }
        return now != value && hasTaken(place, value)
    }

    /// Whether a device may rightly send a value again. It has saved the value itself, and the server took it. The
    /// answer was lost, and then another device wrote the former value again. The device finds the former value, so its
    /// edit looks unsent and not overwritten.
    package func isUnsentAgain(_ place: Place, _ value: String, on device: String) -> Bool {
        guard mayLackAnswers.contains(device),
            promises[place]?.contains(where: { $0.device == device && $0.value == value })
                ?? false, let all = taken[place], let before = all.lastIndex(of: value).map({ $0 - 1 }), before >= 0
        else { return false }
        return all[before] == (server[place.key] ?? nil)?[place.property]
    }

    /// Whether a device may have restored an old value in a place. The reason is a conflict, an unreported decision, or
    /// a lost zone.
    package func mayUndo(_ device: String, _ place: Place) -> Bool {
        hasLostZone || forgiven[device] != nil || conflicts["\(device) \(place.key) \(place.property)"] != nil
            || conflicts["\(device) \(place.key)"] != nil
    }
}
