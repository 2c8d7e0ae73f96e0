"""Two thousand statements in eight languages that have nothing to do with each other, though many look alike.

Each is somebody, and what is told of them; `#` stands for a number, another one each time. Nobody is told of twice in
the same way, so that none of the statements says the same as another, is its later state, or contradicts it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

WHO = {
    "en": """
        Anna's brother / The night nurse / Our supplier in Leeds / The user's landlord / Mr Okafor /
        Team Falcon / The new intern / Grandma / The choir / Dr. Novak
    """,
    "de": """
        Annas Bruder / Die Nachtschwester / Unser Lieferant in Kassel / Der Vermieter der Nutzerin /
        Herr Brandt / Das Team Falke / Die neue Praktikantin / Oma / Der Chor / Frau Dr. Seidel
    """,
    "fr": """
        Le frère d'Anna / L'infirmière de nuit / Notre fournisseur à Lille / Le propriétaire de l'utilisatrice /
        M. Diallo / L'équipe Faucon / La nouvelle stagiaire / Mamie / La chorale / La docteure Perrin
    """,
    "es": """
        El hermano de Ana / La enfermera de noche / Nuestro proveedor de Bilbao / El casero del usuario /
        El señor Rojas / El equipo Halcón / La nueva becaria / La abuela / El coro / La doctora Paz
    """,
    "ru": """
        Брат Анны / Ночная медсестра / Наш поставщик из Твери / Хозяин квартиры / Господин Орлов /
        Команда «Сокол» / Новая стажёрка / Бабушка / Хор / Доктор Белова
    """,
    "tr": """
        Ayşe'nin kardeşi / Gece hemşiresi / Bursa'daki tedarikçimiz / Kullanıcının ev sahibi / Kemal Bey /
        Şahin takımı / Yeni stajyer / Büyükanne / Koro / Doktor Aksoy
    """,
    "ja": """
        アンナの兄 / 夜勤の看護師 / 仙台の仕入先 / ユーザーの大家さん / 岡本さん / ファルコンチーム /
        新しいインターン / おばあちゃん / 合唱団 / 野村先生
    """,
    "zh": """
        安娜的哥哥 / 值夜班的护士 / 我们在苏州的供应商 / 用户的房东 / 欧阳先生 / 猎鹰队 / 新来的实习生 / 奶奶 /
        合唱团 / 陈医生
    """,
}

WHAT = {
    "en": """
        collects stamps from Peru / has # tickets for the opera / moved to Turin in 19# /
        pays # euros for parking / takes the 7:# train / is allergic to walnuts / never answers before noon /
        owns a boat called Marlin / lost a red umbrella on Tuesday / speaks fluent Basque /
        runs # km every Sunday / works from the library on Fridays / has # unread messages /
        used to sell carpets / keeps bees on the roof / is afraid of elevators / ordered # boxes of candles /
        prefers tea without sugar / was in Oslo until March / likes long films /
        votes against the new car park / has a meeting on # June / broke a tooth / wants to learn the harp /
        sleeps # hours a night
    """,
    "de": """
        sammelt Briefmarken aus Peru / hat # Karten für die Oper / ist 19# nach Turin gezogen /
        zahlt # Euro für den Parkplatz / nimmt den Zug um 7:# / ist gegen Walnüsse allergisch /
        antwortet nie vor Mittag / besitzt ein Boot namens Marlin /
        hat am Dienstag einen roten Schirm verloren / spricht fließend Baskisch / läuft jeden Sonntag # km /
        arbeitet freitags in der Bibliothek / hat # ungelesene Nachrichten / verkaufte früher Teppiche /
        hält Bienen auf dem Dach / hat Angst vor Aufzügen / hat # Kisten Kerzen bestellt /
        trinkt Tee ohne Zucker / war bis März in Oslo / mag lange Filme / stimmt gegen das neue Parkhaus /
        hat am #. Juni einen Termin / hat sich einen Zahn abgebrochen / möchte Harfe lernen /
        schläft # Stunden pro Nacht
    """,
    "fr": """
        collectionne les timbres du Pérou / a # billets pour l'opéra / a déménagé à Turin en 19# /
        paie # euros de stationnement / prend le train de 7h# / est allergique aux noix /
        ne répond jamais avant midi / possède un bateau appelé Marlin / a perdu un parapluie rouge mardi /
        parle couramment le basque / court # km chaque dimanche / travaille à la bibliothèque le vendredi /
        a # messages non lus / vendait autrefois des tapis / élève des abeilles sur le toit /
        a peur des ascenseurs / a commandé # cartons de bougies / préfère le thé sans sucre /
        était à Oslo jusqu'en mars / aime les longs films / vote contre le nouveau parking /
        a un rendez-vous le # juin / s'est cassé une dent / veut apprendre la harpe / dort # heures par nuit
    """,
    "es": """
        colecciona sellos del Perú / tiene # entradas para la ópera / se mudó a Turín en 19# /
        paga # euros de aparcamiento / toma el tren de las 7:# / es alérgico a las nueces /
        nunca contesta antes del mediodía / tiene un barco llamado Marlin / perdió un paraguas rojo el martes /
        habla euskera con fluidez / corre # km cada domingo / trabaja en la biblioteca los viernes /
        tiene # mensajes sin leer / antes vendía alfombras / cría abejas en la azotea /
        tiene miedo a los ascensores / encargó # cajas de velas / prefiere el té sin azúcar /
        estuvo en Oslo hasta marzo / disfruta de las películas largas / vota contra el nuevo aparcamiento /
        tiene una cita el # de junio / se rompió un diente / quiere aprender a tocar el arpa /
        duerme # horas cada noche
    """,
    "ru": """
        собирает марки Перу / имеет # билетов в оперу / живёт в Турине с 19# года / платит # евро за парковку /
        ездит на поезде в 7:# / не переносит грецкие орехи / никогда не отвечает до полудня /
        владеет лодкой «Марлин» / во вторник потерял красный зонт / свободно говорит по-баскски /
        пробегает # км каждое воскресенье / по пятницам работает в библиотеке / не прочёл # сообщений /
        раньше торговал коврами / держит пчёл на крыше / боится лифтов / заказывает # коробок свечей /
        пьёт чай без сахара / до марта был в Осло / любит длинные фильмы / голосует против новой стоянки /
        ждёт встречи # июня / сломал зуб / хочет научиться играть на арфе / спит # часов в сутки
    """,
    "tr": """
        Peru pulları topluyor / opera için # bilet aldı / 19# yılında Torino'ya taşındı /
        otopark için # avro ödüyor / 7:# trenine biniyor / cevize alerjik / öğleden önce asla yanıt vermiyor /
        Marlin adında bir tekneye sahip / salı günü kırmızı bir şemsiye kaybetti / akıcı Baskça konuşuyor /
        her pazar # km koşuyor / cumaları kütüphanede çalışıyor / # okunmamış mesaj bekletiyor /
        eskiden halı satardı / çatıda arı besliyor / asansörden korkuyor / # kutu mum sipariş etti /
        şekersiz çay içiyor / mart ayına kadar Oslo'daydı / uzun filmleri seviyor /
        yeni otoparka karşı oy veriyor / # haziranda randevusu var / dişini kırdı /
        arp çalmayı öğrenmek istiyor / gecede # saat uyuyor
    """,
    "ja": """
        はペルーの切手を集めている / はオペラの券を#枚持っている / は19#年にトリノへ引っ越した /
        は駐車場に#ユーロ払っている / は7時#分の電車に乗る / はクルミにアレルギーがある /
        は正午より前には返事をしない / はマーリンという船を持っている / は火曜日に赤い傘をなくした /
        はバスク語を流暢に話す / は毎週日曜に#キロ走る / は金曜日に図書館で働く /
        には未読のメッセージが#件ある / は昔じゅうたんを売っていた / は屋上でミツバチを飼っている /
        はエレベーターが怖い / はろうそくを#箱注文した / は砂糖なしの紅茶を飲む / は三月までオスロにいた /
        は長い映画が好き / は新しい駐車場に反対している / は6月#日に約束がある / は歯を折った /
        はハープを習いたい / は毎晩#時間眠る
    """,
    "zh": """
        收集秘鲁邮票 / 有#张歌剧票 / 19#年搬到了都灵 / 停车费付了#欧元 / 坐7点#分的火车 / 对核桃过敏 /
        中午之前从不回复 / 有一艘叫马林的船 / 星期二丢了一把红伞 / 说一口流利的巴斯克语 / 每个星期天跑#公里 /
        星期五在图书馆工作 / 有#条未读消息 / 以前卖地毯 / 在屋顶上养蜂 / 害怕坐电梯 / 订了#箱蜡烛 / 喝茶不加糖 /
        三月之前在奥斯陆 / 喜欢看长电影 / 投票反对新停车场 / 6月#日有约 / 磕断了一颗牙 / 想学竖琴 /
        每晚睡#个小时
    """,
}


def statements() -> Iterator[str]:
    """The statements, those of the languages mixed, in an order that is the same every time."""
    rng = random.Random(5)
    made = [
        (who.strip() + ("" if language in ("ja", "zh") else " ") + what.strip()).replace("#", str(rng.randint(10, 28)))
        for language, everybody in WHO.items()
        for who in everybody.split("/")
        for what in WHAT[language].split("/")
    ]
    rng.shuffle(made)
    yield from made
