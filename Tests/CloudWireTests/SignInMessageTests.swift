import Testing

@testable import CloudWire

/// The messages of a sign-in, and of notifications that show themselves, as text.
@Suite("messages of sign-ins and alerts") struct SignInMessageTests {
    private func text(_ message: some WireEncodable) throws -> String {
        String(decoding: try message.wireJSON(), as: UTF8.self)
    }

    @Test("a sign-in")
    func signIn() throws {
        let request = SignInRequest(idToken: "a.b.c", nonce: "n")
        #expect(try text(request) == #"{"idToken":"a.b.c","nonce":"n"}"#)
        #expect(try SignInRequest(wireJSON: #"{"nonce":"n","idToken":"a.b.c","more":1}"#.utf8) == request)
        #expect(try SignInRequest(wireJSON: #"{"idToken":"a","nonce":null}"#.utf8) == SignInRequest(idToken: "a"))
        for bad in ["{}", #"{"idToken":null}"#, #"{"idToken":["a"]}"#, #"{"idToken":"a","idToken":"b"}"#] {
            #expect(throws: WireCodingError.self, "\(bad)") { try SignInRequest(wireJSON: bad.utf8) }
        }
        let answer = SignInAnswer(ckWebAuthToken: "t", userRecordName: "_u")
        #expect(try text(answer) == #"{"ckWebAuthToken":"t","userRecordName":"_u"}"#)
        #expect(try SignInAnswer(wireJSON: text(answer).utf8) == answer)
    }

    @Test("a notification is silent unless there is something to be seen or heard, and is read without its alert")
    func presentation() throws {
        var notification = PushNotification(
            container: "c", notificationID: "n", userRecordName: nil, subscriptionID: "s", subject: .database)
        let silent = notification
        let rest = #""ck":{"ce":2,"cid":"c","nid":"n","met":{"sid":"s","dbs":2}}}"#
        let quiet = #"{"aps":{"content-available":1},"# + rest
        #expect(try text(notification) == quiet)
        notification.presentation = .init(shouldSendContentAvailable: false)
        notification.presentation?.category = "mark"
        #expect(try text(notification) == quiet)
        notification.presentation?.alertBody = "Hello"
        notification.presentation?.alertLaunchImage = "i"
        let shown = #"{"aps":{"alert":{"body":"Hello","launch-image":"i"},"category":"mark"},"# + rest
        #expect(try text(notification) == shown)
        #expect(try PushNotification(wireJSON: shown.utf8) == silent)
        #expect(try PushNotification(wireJSON: (#"{"aps":{"alert":"Hello","badge":-1},"# + rest).utf8) == silent)
        notification.presentation = .init(shouldSendContentAvailable: true)
        notification.presentation?.soundName = "chime"
        #expect(try text(notification) == #"{"aps":{"sound":"chime","content-available":1},"# + rest)
    }
}
