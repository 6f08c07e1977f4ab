import BackstitchSQL
import CloudWire

/// The tables of a storage, and the steps that built them. A new storage takes all steps, an older one only the missing
/// ones.
///
/// Every key starts with the tenant, so the tables can be partitioned by it. Records are stored in the order of their
/// writing, if the database can keep one. Their rows are wide, and the feed reads them in the same order.
///
/// A released step never changes. Servers of two versions may share a database, so the newer one has taken steps
/// unknown to the older one. If the older one can work without a step, the step's name begins with `+`.
struct ZoneSchema {
    /// A named step: statements, and work after them.
    struct Step {
        let name: String
        let statements: [String]
        /// Work that statements cannot do.
        var work: (ZoneTransaction) throws -> Void = { _ in }
    }

    var steps: [Step]
    /// The table with the names of the finished steps.
    let notes: String

    init(_ dialect: any SQLDialect, notes: String) {
        self.notes = notes
        let types = Types(dialect)
        steps =
            Self.common(types, dialect) + (types.isShared ? [Step(name: "shared", statements: types.shared)] : [])
            + Self.later(types, dialect)
            // An older server reads pages without this index, by sorting the zone.
            + (types.isShared ? [Step(name: "+feed", statements: types.feed)] : [])
            // The same for the feeds of zones.
            + (types.isShared ? [Step(name: "+zone feeds", statements: types.zoneFeeds)] : [])
    }

    /// The steps of all storages, before those of shared ones.
    private static func common(_ types: Types, _ dialect: any SQLDialect) -> [Step] {
        [
            Step(name: "1", statements: types.first),
            // Deletions are forgotten after a time.
            Step(
                name: "2",
                statements: [
                    "ALTER TABLE zone ADD COLUMN floor \(types.integer) NOT NULL DEFAULT 0",
                    "CREATE INDEX record_deleted ON record (modified) WHERE deleted = 1",
                ]),
            // The device that made a record.
            Step(
                name: "3",
                statements: [
                    "ALTER TABLE record ADD COLUMN created_on \(types.text) NOT NULL DEFAULT '\(WireStamp.unnamedDevice)'"
                ]),
            Step(name: "emptying", statements: ["CREATE INDEX zone_emptying ON zone (state) WHERE state = 3"]),
            // A storage notices its return to an earlier state. Older records have history 0.
            Step(
                name: "history",
                statements: [
                    "ALTER TABLE record ADD COLUMN history \(types.integer) NOT NULL DEFAULT 0",
                    """
                    CREATE TABLE life (
                        "only" \(types.integer) PRIMARY KEY CHECK ("only" = 1), history \(types.integer) NOT NULL,
                        commits \(types.integer) NOT NULL
                    )\(dialect.tableEnding(.wide))
                    """,
                ]),
            // The indexes for counting and finding a user's rows, and the counters of usage.
            Step(
                name: "limits",
                statements: [
                    "CREATE INDEX subscription_user ON subscription (tenant_id, \"user\")",
                    "DROP INDEX push_token_user",
                    "CREATE INDEX push_token_user ON push_token (tenant_id, \"user\", seen)",
                ] + UsageSchema.statements(dialect)
            ) { try $0.correctAssetSizes() },
            // Indexes for queries. A version without them would not keep them up.
            Step(name: "queries", statements: QuerySchema.statements(dialect)),
        ]
    }

    /// The steps after those of shared storages.
    private static func later(_ types: Types, _ dialect: any SQLDialect) -> [Step] {
        [
            // Accounts and their tokens. A version without accounts would refuse their users.
            Step(name: "identity", statements: IdentitySchema.statements(dialect)),
            // Used ID tokens. An older server has no sign-in.
            Step(name: "+sign-in", statements: SignInSchema.statements(dialect)),
            // Devices that can be woken. An older server wakes none.
            Step(name: "+wake", statements: WakeSchema.statements(dialect)),
            // Subscriptions to queries. A version without them ignores them.
            Step(name: "+query subscriptions", statements: types.querySubscriptions),
            // Shares. A version without them would not tell guests of changes.
            Step(name: "sharing", statements: SharingSchema.statements(dialect)),
            // Renewed tokens. An older server does not notice a second use of one.
            Step(name: "+replaced tokens", statements: IdentitySchema.replacedTokens(dialect)),
            // Shares of records. A version without them would show their guests the whole zone.
            Step(name: "record shares", statements: SharingSchema.recordShares(dialect)),
            // Public keys of participants. They are lost if an older server writes the share, and clients send them
            // again.
            Step(name: "+participant keys", statements: SharingSchema.participantKeys(dialect)),
            // The clients' names for their push tokens. An older server writes none.
            Step(name: "+push clients", statements: ["ALTER TABLE push_token ADD COLUMN client \(types.text)"]),
            // The makers of indexes for queries. An older server makes room by the age of indexes alone.
            Step(name: "+query makers", statements: QuerySchema.makers(dialect)),
            // The room of participants. Participants written by an older server are charged to no user.
            Step(name: "+participant sizes", statements: SharingSchema.participantSizes(dialect)),
            // The tokens that made push tokens. A push token of an older server ends with its user.
            Step(
                name: "+push credentials",
                statements: ["push_token", "wake_device"].map {
                    "ALTER TABLE \($0) ADD COLUMN credential \(types.text) NOT NULL DEFAULT ''"
                }),
            // The marks of query subscriptions. One that an older server has changed is read without its mark.
            Step(name: "+subscription marks", statements: types.subscriptionMarks) { try $0.markSubscriptions() },
            // Where moved records have gone. An older server writes none, and its deletions say nothing of moves.
            Step(name: "+moves", statements: ["ALTER TABLE record ADD COLUMN moved_to \(types.text)"]),
            // The index of subscriptions without a query, and of the others. An older server finds them too.
            Step(name: "+plain subscriptions", statements: types.plainSubscriptions),
            // The index of an account's tokens of one kind. An older server reads those of all kinds.
            Step(name: "+credential kinds", statements: IdentitySchema.kindsOfAccounts),
        ]
    }

    /// The condition to append to a query of the feed; see ``Types/feed``.
    static func isInFeed(_ dialect: any SQLDialect) -> String {
        Types(dialect).isShared ? " AND sequence > 0" : ""
    }

    /// Takes the steps that the tables lack. If several servers start at once, one takes them and the others wait.
    ///
    /// - Throws: ``ZoneServerError`` if a newer version has taken steps that this version cannot work without.
    func take(_ transaction: ZoneTransaction, of storage: String) throws {
        if let turn = transaction.dialect.turn("zones") {
            try transaction.connection.run(SQLStatement(transaction.dialect, turn))
        }
        let text = transaction.dialect.types.text
        try transaction.execute(
            "CREATE TABLE IF NOT EXISTS \(names: notes) (identifier \(names: text) NOT NULL PRIMARY KEY)")
        let taken = try self.taken(transaction.connection)
        guard !isNewer(taken) else { throw Self.isNewer(storage) }
        for step in steps where !taken.contains(step.name) {
            for statement in step.statements {
                var statement = SQLStatement(transaction.dialect, statement)
                statement.isAdHoc = true
                try transaction.connection.run(statement)
            }
            try step.work(transaction)
            try transaction.execute("INSERT INTO \(names: notes) (identifier) VALUES (\(step.name))")
        }
    }

    /// The names of the finished steps. The table of names must exist.
    func taken(_ connection: any SQLConnection) throws -> Set<String> {
        var taken: Set<String> = []
        try connection.forEachRow(of: SQLStatement(connection.dialect, "SELECT identifier FROM \(notes)")) {
            taken.insert($0.text(0))
        }
        return taken
    }

    /// Whether a newer version has taken steps that this version cannot work without.
    func isNewer(_ taken: Set<String>) -> Bool {
        taken.subtracting(steps.map(\.name)).contains { !$0.hasPrefix("+") }
    }

    /// The error for a storage of a newer version.
    static func isNewer(_ storage: String) -> ZoneServerError {
        ZoneServerError(
            .storageFormat, "'\(storage)' was written by a newer version of this server; run that version")
    }
}
