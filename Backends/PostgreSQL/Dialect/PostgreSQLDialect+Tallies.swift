import BackstitchSQL

/// Triggers that run once for a statement, with all rows that it wrote. So a sum is written once, and not for each of a
/// thousand rows.
extension PostgreSQLDialect {
    func triggers(_ tally: SQLTally) -> [String] {
        let function = "\(tally.name)_counted"
        let events =
            [("made", "INSERT", "NEW TABLE AS rows_made"), ("gone", "DELETE", "OLD TABLE AS rows_gone")]
            + (tally.changing.isEmpty
                ? [] : [("changed", "UPDATE", "OLD TABLE AS rows_gone NEW TABLE AS rows_made")])
        let triggers = events.map { kind, event, tables in
            "CREATE TRIGGER \(tally.name)_\(kind) AFTER \(event) ON \(tally.source) REFERENCING \(tables) "
                + "FOR EACH STATEMENT EXECUTE FUNCTION \(function)()"
        }
        let made = Self.rows("rows_made", "", tally), gone = Self.rows("rows_gone", "-", tally)
        let body = """
            CREATE OR REPLACE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql AS $body$
            BEGIN
                IF TG_OP = 'INSERT' THEN
                    \(Self.addition(of: made, tally));
                ELSIF TG_OP = 'DELETE' THEN
                    \(Self.addition(of: gone, tally));
                ELSE
                    \(Self.addition(of: "\(gone) UNION ALL \(made)", tally));
                END IF;
                RETURN NULL;
            END
            $body$
            """
        return [body] + triggers
    }

    /// The rows of a transition table: the keys, then the amounts with a sign.
    private static func rows(_ table: String, _ sign: String, _ tally: SQLTally) -> String {
        let keys = tally.keys.map { "r.\($0.row) AS \($0.sum)" }
        let amounts = tally.amounts.map { "\(sign)(\($0.of("r"))) AS \($0.sum)" }
        return "SELECT \((keys + amounts).joined(separator: ", ")) FROM \(table) AS r"
    }

    /// Adds rows to the sums in the order of the keys, so that two statements never block each other. Unchanged sums
    /// are not written.
    private static func addition(of rows: String, _ tally: SQLTally) -> String {
        let keys = tally.keys.map { "counted.\($0.sum)" }.joined(separator: ", ")
        let sums = tally.amounts.map { "sum(counted.\($0.sum))" }
        let isChange = sums.map { "\($0) <> 0" }.joined(separator: " OR ")
        return tally.addition(
            of: """
                SELECT \(keys), \(sums.joined(separator: ", ")) FROM (\(rows)) AS counted
                GROUP BY \(keys) HAVING \(isChange) ORDER BY \(keys)
                """)
    }
}
