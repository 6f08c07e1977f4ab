import Foundation
import Testing

@testable import CloudWire

/// The messages about users, as text.
@Suite("messages about users") struct UsersMessageTests {
    private func check<Message: WireCodable & Equatable>(
        _ message: Message, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(String(decoding: try message.wireJSON(), as: UTF8.self) == text, sourceLocation: sourceLocation)
        #expect(try Message(wireJSON: Array(text.utf8)) == message, sourceLocation: sourceLocation)
    }

    private var ada: DiscoveredUser {
        DiscoveredUser(
            userRecordName: "_ada", nameComponents: .init(givenName: "Ada", familyName: "Lovelace"),
            lookupInfo: .init(emailAddress: "ada@example.org"))
    }

    private let adaText =
        #""userRecordName":"_ada","nameComponents":{"givenName":"Ada","familyName":"Lovelace"},"#
        + #""lookupInfo":{"emailAddress":"ada@example.org"}"#

    @Test("questions")
    func questions() throws {
        try check(
            UsersDiscoverRequest(lookupInfos: [
                .init(emailAddress: "a@b"), .init(phoneNumber: "+1"), .init(userRecordName: "_c"),
            ]), #"{"lookupInfos":[{"emailAddress":"a@b"},{"phoneNumber":"+1"},{"userRecordName":"_c"}]}"#)
        try check(UsersDiscoverRequest(), "{}")
        try check(UsersLookupRequest(users: [.init(emailAddress: "a@b")]), #"{"users":[{"emailAddress":"a@b"}]}"#)
        #expect(throws: WireCodingError.self) { try UsersLookupRequest(wireJSON: Array("{}".utf8)) }
    }

    @Test("answers")
    func answers() throws {
        try check(UsersResponse(users: [ada]), "{\"users\":[{\(adaText)}]}")
        try check(UsersResponse(users: []), #"{"users":[]}"#)
        try check(
            DiscoveredUser(userRecordName: "_u"), #"{"userRecordName":"_u","nameComponents":{},"lookupInfo":{}}"#)
        try check(
            CurrentUser(userRecordName: "_u", firstName: "A", lastName: "B"),
            #"{"userRecordName":"_u","firstName":"A","lastName":"B"}"#)
        try check(CurrentUser(userRecordName: "_u"), #"{"userRecordName":"_u"}"#)
        var name = UserNameComponents()
        name.namePrefix = "Dr."
        name.middleName = "M"
        name.nameSuffix = "Jr."
        name.nickname = "N"
        name.phoneticRepresentation = "P"
        try check(
            name,
            #"{"namePrefix":"Dr.","middleName":"M","nameSuffix":"Jr.","nickname":"N","phoneticRepresentation":"P"}"#)
    }

    @Test("the caller stands in both places, and both kinds of client read it")
    func caller() throws {
        let text = String(decoding: try CallerResponse(user: ada).wireJSON(), as: UTF8.self)
        #expect(text == "{\(adaText),\"users\":[{\(adaText)}]}")
        #expect(try UserIdentity(wireJSON: Array(text.utf8)).userRecordName == "_ada")
        #expect(try UsersResponse(wireJSON: Array(text.utf8)).users == [ada])
        #expect(try DiscoveredUser(wireJSON: Array(text.utf8)) == ada)
    }

    @Test("nulls and unknown keys do no harm")
    func lenient() throws {
        let text =
            #"{"users":[{"userRecordName":"_u","nameComponents":null,"lookupInfo":null,"later":[1]}],"uuid":"x"}"#
        #expect(try UsersResponse(wireJSON: Array(text.utf8)).users == [DiscoveredUser(userRecordName: "_u")])
        #expect(try UsersResponse(wireJSON: Array(#"{"users":null}"#.utf8)).users.isEmpty)
        #expect(throws: WireCodingError.self) { try DiscoveredUser(wireJSON: Array("{}".utf8)) }
        #expect(throws: WireCodingError.self) { try CurrentUser(wireJSON: Array("{}".utf8)) }
    }
}
