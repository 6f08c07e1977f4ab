import Foundation
import TestSupport
import Testing

/// The checklist of the server's security, one row after the other, each with its tests. A missing or disabled test is
/// noticed here.
@Suite("the security checklist") struct SecurityChecklistTests {
    struct Row: Sendable, CustomTestStringConvertible {
        /// The area, and the risk of OWASP's list of 2023 where there is one.
        let area: String
        /// The tests, by their file below `Tests` and the name of their function.
        let tests: [String: [String]]
        /// The part of the row that is another component's by decision, with its name.
        var elsewhere: String?

        var testDescription: String { area }
    }

    static let rows: [Row] = [
        Row(
            area: "API1 object authorisation",
            tests: [
                "BackstitchServerTests/Access/AccessMatrixTests.swift": ["complete", "operations", "addresses"],
                "BackstitchServerTests/ZonesTests.swift": ["tenants"],
                "BackstitchServerTests/PushTests.swift": ["isolation"],
                "BackstitchServerTests/PublicRolesTests.swift": ["creator", "configured"],
                "BackstitchServerTests/QuerySubscriptions/QuerySubscriptionRefusalTests.swift": ["roles"],
                "BackstitchServerTests/RereferenceTests.swift": ["rights"],
                "BackstitchServerTests/Security/TenantFenceTests.swift": ["complete", "finds"],
            ],
            elsewhere: """
                row-level security: the server is the only client of its schema, and sets no user of the database for \
                a request; the second fence is a test of the text of each statement
                """),
        Row(
            area: "API1 tokens, cursors, batches",
            tests: [
                "BackstitchServerTests/ZoneChangesTests.swift": ["tokens", "recreation"],
                "BackstitchServerTests/Security/TokenScopeTests.swift": ["bits", "elsewhere"],
                "BackstitchServerTests/UnitTests.swift": ["marks", "tickets"],
                "BackstitchServerTests/IdempotencyTests.swift": ["keys", "otherBody"],
                "BackstitchServerTests/Queries/QueryRefusalTests.swift": ["markers"],
                "BackstitchServerTests/AssetTests.swift": ["receipts"],
            ]),
        Row(
            area: "API2 authentication",
            tests: [
                "BackstitchServerTests/AuthTests.swift": ["apiToken", "user", "badBearer", "noSecretsAtRest"],
                "BackstitchServerTests/TokenTests.swift": ["refused", "expiry", "replaced", "throttled"],
                "BackstitchServerTests/Identity/TokenRenewalTests.swift": ["renewed", "reused", "revoked", "digests"],
                "BackstitchServerTests/Identity/ForgedTokenTests.swift": ["claims", "signatures", "algorithms"],
            ]),
        Row(
            area: "API2 request signing",
            tests: [
                "BackstitchServerTests/Identity/SignatureVectorTests.swift": ["valid", "altered", "replay", "window"],
                "BackstitchServerTests/Identity/ServerKeyTests.swift": ["refused", "replay", "unread"],
                "BackstitchServerTests/Identity/SignaturePartsTests.swift": ["headers", "spent"],
            ]),
        Row(
            area: "API3 property authorisation",
            tests: ["BackstitchServerTests/Security/ServerFieldTests.swift": ["ownFields", "envelopes"]]),
        Row(
            area: "JSON",
            tests: [
                "CloudWireTests/JSONReaderTests.swift": [
                    "unicodeKeys", "keyCount", "depth", "surrogates", "scalars", "damage",
                ],
                "BackstitchServerTests/BadInputTests.swift": ["badJSON", "fuzz"],
            ]),
        Row(
            area: "Identifiers",
            tests: [
                "BackstitchServerTests/Security/NameTests.swift": ["names", "pairs"],
                "BackstitchServerTests/RecordsModifyTests.swift": ["unicodeNames"],
                "BackstitchServerTests/ZonesTests.swift": ["badNames"],
            ]),
        Row(
            area: "API4 resources",
            tests: [
                "BackstitchServerTests/Hostile/HostileLoadTests.swift": ["hostile"],
                "BackstitchServerTests/BadInputTests.swift": ["limits", "compressed"],
                "BackstitchServerTests/ConnectionLimitTests.swift": ["trickledHead", "perAddress", "busyConnections"],
                "BackstitchServerTests/ConnectionTests.swift": ["slowHead", "slowBody", "largeBody"],
                "BackstitchServerTests/AtOnceTests.swift": ["requests", "bytes", "bytesOfAll", "uploads"],
                "BackstitchServerTests/AnswerLimitTests.swift": ["everyRoute"],
                "BackstitchServerTests/QuotaTests.swift": ["records", "bytes", "counts", "rate"],
                "BackstitchServerTests/Security/QuotaRaceTests.swift": ["race"],
                "BackstitchServerTests/QuerySubscriptions/QuerySubscriptionRefusalTests.swift": [
                    "ceilings", "many", "bounded",
                ],
            ]),
        Row(
            area: "API5 function authorisation",
            tests: [
                "BackstitchServerTests/Operation/AdministrationTests.swift": ["routes"],
                "BackstitchServerTests/AuthTests.swift": ["development", "configuration", "declaredContainers"],
                "CommandTests/ServeTests.swift": ["holes"],
            ]),
        Row(
            area: "API6 flows",
            tests: [
                "BackstitchServerTests/QuotaTests.swift": ["zones", "databases", "rate"],
                "BackstitchServerTests/TokenTests.swift": ["throttled"],
                "BackstitchServerTests/Identity/UsersTests.swift": ["changes", "limits"],
            ]),
        Row(
            area: "API7 requests on behalf of others",
            tests: ["BackstitchServerTests/Security/ForeignAddressTests.swift": ["none"]]),
        Row(
            area: "Assets",
            tests: [
                "BackstitchServerTests/AssetTests.swift": ["receipts", "tooLarge", "saidSize", "addresses", "noPlace"],
                "BackstitchServerTests/Security/AssetPathTests.swift": ["paths", "inert"],
                "BackstitchServerTests/UnitTests.swift": ["multipart", "ranges"],
                "BackstitchServerTests/StorageTests.swift": ["links"],
                "BackstitchServerTests/ConnectionTests.swift": ["brokenUpload"],
                "BackstitchServerTests/PartialUploads/ResumedUploadTests.swift": ["others", "atOnce", "tooMuch"],
                "BackstitchServerTests/PartialUploads/PartialUploadLimitTests.swift": ["files", "bytes", "modes"],
                "BackstitchSupportTests/FileTests.swift": ["files", "folders", "content"],
            ]),
        Row(
            area: "Sharing",
            tests: [
                "BackstitchServerTests/Sharing/ShareAddressTests.swift": ["random", "guesses", "secrecy"],
                "BackstitchServerTests/Sharing/SharedZoneTests.swift": [
                    "strangers", "readers", "everybody", "leaving",
                ],
                "BackstitchServerTests/Sharing/ParticipantTests.swift": ["matrix", "addresses", "removal"],
                "BackstitchServerTests/Sharing/SharedFeedTests.swift": ["revocation"],
                "BackstitchSyncTests/Server/Sharing/LostRightTests.swift": ["takenBack"],
            ],
            elsewhere: """
                the address is not stored as a digest, since CloudKit's share tells it to those who take part; whose \
                digest it would be reads the records as well
                """),
        Row(
            area: "API8 configuration and TLS",
            tests: [
                "BackstitchServerTests/TransportSecurityTests.swift": ["foreignKey"],
                "BackstitchServerTests/Operation/CrossOriginTests.swift": ["undeclared"],
                "BackstitchServerTests/BadInputTests.swift": ["log"],
                "BackstitchServerTests/Operation/RequestReportTests.swift": ["accessLog"],
                "BackstitchServerTests/Security/InternalErrorTests.swift": ["causes"],
                "BackstitchSyncTests/Security/SecrecyTests.swift": ["addressesAndLogs", "transportSecurity"],
                "BackstitchPostgreSQLTests/EncryptionTests.swift": ["modes", "defaultMode"],
            ]),
        Row(
            area: "At rest",
            tests: [
                "BackstitchServerTests/StorageTests.swift": ["modes", "foreignFolder", "links"],
                "BackstitchSQLiteTests/Opening/OpeningTests.swift": ["modes"],
                "BackstitchSQLTests/Assets/AssetDirectoryTests.swift": ["modes"],
                "BackstitchSyncTests/Security/CredentialTests.swift": ["kept", "links"],
                "BackstitchSyncTests/Encryption/OutsideSecrecyTests.swift": ["sqlite", "postgreSQL"],
                "BackstitchSyncTests/Encryption/EnvelopeTests.swift": ["authenticity"],
                "BackstitchSyncTests/Encryption/EncryptedSyncTests.swift": ["forgery"],
                "BackstitchSyncTests/Encryption/EncryptedAssetTests.swift": ["forgery"],
                "BackstitchSyncTests/Encryption/KeyProviderTests.swift": ["keys", "file", "badFiles"],
            ],
            elsewhere: """
                fields that a model does not encrypt, and backups: the disk's own encryption, as the server sorts and \
                finds by them
                """),
        Row(
            area: "API9 inventory",
            tests: [
                "BackstitchServerTests/Identity/RouteConformanceTests.swift": ["complete", "places", "unknown"],
                "BackstitchServerTests/Access/AccessMatrixTests.swift": ["complete"],
                "BackstitchServerTests/GoldenTests/GoldenTests.swift": ["exchanges"],
            ]),
        Row(
            area: "API10 unsafe consumption",
            tests: [
                "BackstitchSyncTests/Plain/AnswerFuzzTests.swift": ["plainServer", "ownServer"],
                "BackstitchSyncTests/Plain/HostileServerTests.swift": ["tricks", "redirect", "poll"],
            ]),
        Row(
            area: "SQL injection",
            tests: [
                "BackstitchSQLTests/Predicates/PredicateSQLTests.swift": ["noInjection"],
                "BackstitchServerTests/Security/NameTests.swift": ["names"],
            ]),
        Row(
            area: "Supply chain",
            tests: ["BackstitchServerTests/Security/VersionTests.swift": ["sqlite", "inventory"]],
            elsewhere: "known vulnerabilities: a scanner reads the list, as Operating.md shows"),
    ]

    @Test("each row names tests")
    func complete() {
        #expect(Self.rows.count == 19 && Set(Self.rows.map(\.area)).count == 19)
        for row in Self.rows { #expect(!row.tests.isEmpty, "\(row.area)") }
    }

    @Test("the tests of a row are there, and run", arguments: rows)
    func held(_ row: Row) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        for (file, names) in row.tests {
            let text = try String(decoding: Data(contentsOf: folder.appending(path: file)), as: UTF8.self)
            for name in names {
                let head = text.range(of: "func \(name)(").map { text[..<$0.lowerBound] } ?? ""
                // The attribute stands between the function and the one before it.
                let attribute = head.range(of: "@Test", options: .backwards).map { head[$0.lowerBound...] } ?? ""
                #expect(
                    !attribute.isEmpty && !attribute.contains("func "), "\(row.area): \(file) has no test \(name)")
                #expect(!attribute.contains(".disabled"), "\(row.area): \(name) of \(file) is switched off")
            }
        }
    }
}
