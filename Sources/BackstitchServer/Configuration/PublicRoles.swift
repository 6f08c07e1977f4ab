import CloudWire

/// The rights of each role in the public database, by record type.
///
/// ```swift
/// configuration.publicRoles["Notice"] = .init(world: .read, signedIn: [], creator: [])        // the operator alone
/// configuration.publicRoles["Wiki"] = .init(world: .read, signedIn: [.create, .write], creator: .write)
/// ```
public struct PublicRoles: Sendable, Hashable {
    /// The rights of a role.
    public struct Rights: OptionSet, Sendable, Hashable {
        /// The rights as bits.
        public let rawValue: Int

        /// Creates rights from their bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The right to look records up.
        public static let read = Rights(rawValue: 1 << 0)
        /// The right to add records.
        public static let create = Rights(rawValue: 1 << 1)
        /// The right to change and delete existing records, and to read them.
        public static let write = Rights(rawValue: 1 << 2)
    }

    /// The rights for records of one type. A caller has the rights of all matching roles.
    public struct Rule: Sendable, Hashable {
        /// The rights of every caller, signed in or not: `_world`.
        public var world: Rights
        /// The rights of every user and every server-to-server key: `_icloud`.
        public var signedIn: Rights
        /// The rights of the record's creator: `_creator`. A server-to-server key counts as the user it is named for.
        public var creator: Rights

        /// Creates a rule from the rights of each role.
        public init(world: Rights, signedIn: Rights, creator: Rights) {
            self.world = world
            self.signedIn = signedIn
            self.creator = creator
        }
    }

    /// The rule for types without one of their own: every caller reads, users add, and a record's creator changes it.
    public var standard = Rule(world: .read, signedIn: .create, creator: .write)
    private var rules: [String: Rule] = [:]

    /// Creates roles with the standard rule only.
    public init() {}

    /// The rule of a record type. It is ``standard`` if none was set, or after it was set to nil.
    public subscript(type: String) -> Rule? {
        get { rules[type] ?? standard }
        set { rules[type] = newValue }
    }

    /// Returns the rights of a caller.
    ///
    /// - Parameter user: nil for an anonymous caller.
    /// - Parameter creator: The record's creator; nil for a record that does not exist yet.
    func rights(of user: String?, type: String?, creator: String?) -> Rights {
        let rule = type.flatMap { rules[$0] } ?? standard
        var rights = rule.world
        if let user {
            rights.formUnion(rule.signedIn)
            if let creator, creator.utf8.elementsEqual(user.utf8) { rights.formUnion(rule.creator) }
        }
        return rights.contains(.write) ? rights.union(.read) : rights
    }
}

extension PublicRoles {
    /// Sets a rule from text such as `Type:_world=read;_icloud=read,create;_creator=write`. The type `*` sets the rule
    /// for types without one of their own. A role without an entry has no rights.
    ///
    /// - Returns: false for text of another form; nothing is set then.
    public mutating func set(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":") else { return false }
        let type = String(text[..<colon])
        guard type == "*" || RecordRules.fault(inRecordType: type) == nil else { return false }
        var rule = Rule(world: [], signedIn: [], creator: [])
        for part in text[colon...].dropFirst().split(separator: ";") {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false)
            guard pair.count == 2, let rights = Rights(names: pair[1]) else { return false }
            switch pair[0] {
            case "_world": rule.world = rights
            case "_icloud": rule.signedIn = rights
            case "_creator": rule.creator = rights
            default: return false
            }
        }
        if type == "*" { standard = rule } else { rules[type] = rule }
        return true
    }
}

extension PublicRoles.Rights {
    fileprivate init?(names: Substring) {
        self = []
        for name in names.split(separator: ",") {
            switch name {
            case "read": insert(.read)
            case "create": insert(.create)
            case "write": insert(.write)
            default: return nil
            }
        }
    }
}

extension PublicRoles.Rights {
    /// The verb for one right, for messages.
    var verb: String { self == .read ? "read" : self == .create ? "create" : "change" }
}

extension PublicRoles {
    /// Returns a user's rights as the wire has them: of all types without a rule, then of each type with one.
    func wireRights(of user: String) -> [RecordTypeRights] {
        ([nil] + rules.keys.sorted()).map { type in
            let others = rights(of: user, type: type, creator: nil), own = rights(of: user, type: type, creator: user)
            return RecordTypeRights(
                recordType: type, mayCreate: others.contains(.create), mayChangeOwn: own.contains(.write),
                mayChangeOthers: others.contains(.write))
        }
    }
}
