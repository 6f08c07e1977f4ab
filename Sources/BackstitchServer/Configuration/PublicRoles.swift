/// The rights of each role in the public database, by the type of the record.
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

        /// The rights of these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// To look records up.
        public static let read = Rights(rawValue: 1 << 0)
        /// To add records.
        public static let create = Rights(rawValue: 1 << 1)
        /// To change and delete records that are there, and to read them.
        public static let write = Rights(rawValue: 1 << 2)
    }

    /// The rights for records of one type. A caller has those of all roles that fit.
    public struct Rule: Sendable, Hashable {
        /// Of everybody, `_world`.
        public var world: Rights
        /// Of every user, `_icloud`, and of every server-to-server key.
        public var signedIn: Rights
        /// Of the user who made the record, `_creator`; a server-to-server key is the user whose name it has.
        public var creator: Rights

        /// The rights of each role.
        public init(world: Rights, signedIn: Rights, creator: Rights) {
            self.world = world
            self.signedIn = signedIn
            self.creator = creator
        }
    }

    /// The rule for types without one of their own: everybody reads, users add, and a record's maker changes it.
    public var standard = Rule(world: .read, signedIn: .create, creator: .write)
    private var rules: [String: Rule] = [:]

    /// Roles with the standard rule only.
    public init() {}

    /// The rule of a record type; ``standard`` where none was set, and after it is set to nil.
    public subscript(type: String) -> Rule? {
        get { rules[type] ?? standard }
        set { rules[type] = newValue }
    }

    /// Returns the rights of a caller.
    ///
    /// - Parameters:
    ///   - user: nil for nobody in particular.
    ///   - creator: The user who made the record; nil for a record that is to be made.
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
    /// Sets a rule that is written `Type:_world=read;_icloud=read,create;_creator=write`, where `*` stands for types
    /// without a rule of their own, and a role that is not named has no right.
    ///
    /// - Returns: false, and nothing is set, for text of another form.
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
    /// How messages say what one right is for.
    var verb: String { self == .read ? "read" : self == .create ? "create" : "change" }
}
