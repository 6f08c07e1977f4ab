import Backstitch

// Of encrypted values the ledger has the plaintext, as of others, and beside it the name of the key: a property that no
// object has.
extension Ledger {
    private static let keySuffix = "@key"

    /// The fields by which the ledger knows an encrypted value and its key; nil where the field is cleared.
    package static func fields(of property: String, _ value: String?, under keyID: String?) -> [String: String?] {
        [property: value, property + keySuffix: keyID]
    }

    /// The encrypted values that the server has under other keys than one.
    package func places(notUnder keyID: String) -> [Place] {
        server.flatMap { key, record in
            (record ?? [:]).compactMap { name, id in
                name.hasSuffix(Self.keySuffix) && id != keyID
                    ? Place(key, String(name.dropLast(Self.keySuffix.count))) : nil
            }
        }.sorted()
    }

    /// Whether the server has a value in a place now.
    package func has(_ place: Place, _ value: String) -> Bool { (server[place.key] ?? nil)?[place.property] == value }

    /// Whether the server has had a value in a place, and has another one now: a device that sends it there undoes what
    /// somebody has written since.
    package func wasOverwritten(_ place: Place, _ value: String) -> Bool {
        guard let now = (server[place.key] ?? nil)?[place.property] else { return false }
        return now != value && hasTaken(place, value)
    }

    /// Whether a device has saved a value itself, and finds the place as it was then although the server has had the
    /// value since: the server's answer is lost, and another device has written the former value again.
    /// Its unsent edit goes again, since nothing says that somebody has overwritten it.
    package func isUnsentAgain(_ place: Place, _ value: String, on device: String) -> Bool {
        guard mayLackAnswers.contains(device),
            promises[place]?.contains(where: { $0.device == device && $0.value == value })
                ?? false, let all = taken[place], let before = all.lastIndex(of: value).map({ $0 - 1 }), before >= 0
        else { return false }
        return all[before] == (server[place.key] ?? nil)?[place.property]
    }

    /// Whether a device may have given a place an old value again: by a conflict, or without having been able to say
    /// so, or with everything after the zone was lost.
    package func mayUndo(_ device: String, _ place: Place) -> Bool {
        hasLostZone || forgiven[device] != nil || conflicts["\(device) \(place.key) \(place.property)"] != nil
            || conflicts["\(device) \(place.key)"] != nil
    }
}
